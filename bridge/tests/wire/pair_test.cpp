#include <gtest/gtest.h>

#include <algorithm>
#include <bridge/wire/endpoint/pair.hpp>
#include <random>

namespace pair_test {

using namespace osteon::bridge::wire;

struct wire_packet {
  packet_header header;
  std::vector<std::byte> payload;
};

/// One end of a pair, and the messages that this end has received.
struct end {
  end(int self, int other, const pair_limits& limits) : pair(self, other, limits) {}
  pair_protocol pair;
  std::vector<message> got;
  pair_protocol::sink sink{[this](message&& m) { got.push_back(std::move(m)); }, [](ticket::state& s) { s.done = true; },
                           [](ticket::state& s, bool yes) {
                             s.cancel = yes ? ticket::cancelling::cancelled : ticket::cancelling::refused;
                             if (yes) s.done = true;
                           }};
  std::vector<wire_packet> departing() {
    std::vector<wire_packet> all;
    while (auto d = pair.next()) all.push_back({d->header, {d->payload.begin(), d->payload.end()}});
    return all;
  }
  void arrive(const wire_packet& p) {
    const std::string bad = pair.arrived(p.header, p.payload, sink);
    ASSERT_EQ(bad, "");
  }
};

const pair_limits small{.short_bytes = 100, .eager_bytes = 250, .ackmark = 3, .hiwater = 6};

std::vector<std::byte> pattern(std::size_t n, unsigned seed) {
  std::vector<std::byte> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::byte>(i * 13 + seed);
  return v;
}

/// Exchange packets until no packet is pending.
void settle(end& a, end& b) {
  for (bool moved = true; moved;) {
    moved = false;
    for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      for (const auto& p : from->departing()) {
        to->arrive(p);
        moved = true;
      }
    }
  }
}

// Oracle: rules of IMPI, applied manually. Short messages are sent immediately. Long messages are sent after their match.
TEST(pair, a_long_message_waits_for_its_match) {
  end a(0, 1, small), b(1, 0, small);
  const auto data = pattern(350, 1);
  const auto state = a.pair.send(5, {.tag = 9}, data, false);
  settle(a, b);
  ASSERT_EQ(b.got.size(), 1U);
  EXPECT_EQ(b.got[0].total, 350U);
  EXPECT_EQ(b.got[0].bytes.size(), 100U);
  EXPECT_FALSE(state->done);
  std::vector<std::byte> buffer(350);
  std::copy(b.got[0].bytes.begin(), b.got[0].bytes.end(), buffer.begin());
  const auto arrived = b.pair.receive(8, b.got[0], buffer);
  settle(a, b);
  EXPECT_TRUE(arrived->done);
  EXPECT_TRUE(state->done);
  EXPECT_EQ(buffer, data);
  EXPECT_TRUE(a.pair.settled());
}

TEST(pair, a_synchronous_message_is_done_when_it_is_matched) {
  end a(0, 1, small), b(1, 0, small);
  const auto data = pattern(10, 1);
  const auto state = a.pair.send(1, {}, data, true);
  settle(a, b);
  EXPECT_FALSE(state->done);
  EXPECT_EQ(b.pair.receive(2, b.got.at(0), {}), nullptr);
  settle(a, b);
  EXPECT_TRUE(state->done);
}

// Oracle: the limit. Unmatched bytes at the receiver never exceed the eager credit, and every message is accepted.
TEST(pair, a_slow_reader_holds_no_more_than_the_credit) {
  end a(0, 1, small), b(1, 0, small);
  const auto data = pattern(100, 1);
  for (std::uint64_t i = 1; i <= 50; ++i) a.pair.send(i, {.tag = static_cast<int>(i)}, data, false);
  settle(a, b);
  ASSERT_EQ(b.got.size(), 50U);
  std::size_t held = 0;
  for (const message& m : b.got) held += m.bytes.size();
  EXPECT_LE(held, 250U);
  EXPECT_EQ(b.got[49].fields.tag, 50);
  // The last message can be matched first. Although the credit is exhausted, the data of this message arrive.
  std::vector<std::byte> buffer(100);
  const auto arrived = b.pair.receive(1000, b.got[49], buffer);
  settle(a, b);
  ASSERT_NE(arrived, nullptr);
  EXPECT_TRUE(arrived->done);
  EXPECT_EQ(buffer, data);
  // The returned credit is used for further messages.
  b.pair.give_back(held);
  settle(a, b);
  a.pair.send(60, {}, data, false);
  settle(a, b);
  EXPECT_EQ(b.got.back().bytes.size(), 100U);
}

TEST(pair, no_more_packets_than_hiwater_are_on_their_way) {
  end a(0, 1, small), b(1, 0, small);
  for (std::uint64_t i = 1; i <= 20; ++i) a.pair.send(i, {}, {}, false);
  const auto first = a.departing();
  EXPECT_EQ(first.size(), 6U);
  for (const auto& p : first) b.arrive(p);
  const auto back = b.departing();
  ASSERT_FALSE(back.empty());  // the ackmark is 3
  EXPECT_EQ(back.back().header.type, packet_type::protoack);
  EXPECT_EQ(back.back().header.srqid, 6U);
  for (const auto& p : back) a.arrive(p);
  EXPECT_EQ(a.departing().size(), 6U);
}

// Oracle: the sent messages. The link loses, duplicates and reorders packets; probes are sent as by the endpoint.
TEST(pair, messages_come_once_and_in_order_over_a_link_that_loses_packets) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    const pair_limits limits{.short_bytes = 100, .eager_bytes = 5000, .ackmark = 3, .hiwater = 16};
    end a(0, 1, limits), b(1, 0, limits);
    std::vector<std::vector<std::byte>> data;
    std::vector<std::shared_ptr<ticket::state>> sent, accepted;
    for (unsigned i = 0; i < 40; ++i) data.push_back(pattern(random() % 400, i));
    for (unsigned i = 0; i < 40; ++i) sent.push_back(a.pair.send(i + 1, {.tag = static_cast<int>(i)}, data[i], false));
    std::vector<std::vector<std::byte>> buffers;
    for (int step = 0; step < 2000 && (buffers.size() < 40 || !a.pair.settled() || !b.pair.settled()); ++step) {
      for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        auto packets = from->departing();
        for (std::size_t i = 0; i < packets.size(); ++i) std::swap(packets[i], packets[random() % packets.size()]);
        for (const auto& p : packets) {
          if (random() % 4 == 0) continue;
          to->arrive(p);
          if (random() % 8 == 0) to->arrive(p);
        }
        from->pair.probe();
        from->pair.acknowledge();
      }
      while (buffers.size() < b.got.size()) {
        message& m = b.got[buffers.size()];
        ASSERT_EQ(m.fields.tag, static_cast<int>(buffers.size()));
        buffers.emplace_back(m.total);
        std::copy(m.bytes.begin(), m.bytes.end(), buffers.back().begin());
        if (m.wants_reply) accepted.push_back(b.pair.receive(1000 + buffers.size(), m, buffers.back()));
        b.pair.give_back(m.bytes.size());
      }
    }
    ASSERT_EQ(buffers.size(), 40U);
    EXPECT_EQ(buffers, data);
    for (const auto& s : sent) EXPECT_TRUE(!s || s->done);
    EXPECT_EQ(b.got.size(), 40U);
  }
}

TEST(pair, a_message_is_given_back_only_if_it_was_not_matched) {
  end a(0, 1, small), b(1, 0, small);
  const auto data = pattern(300, 1);
  const auto one = a.pair.send(1, {}, data, false), two = a.pair.send(2, {}, data, false);
  a.pair.cancel(1, one);
  a.pair.cancel(2, two);
  settle(a, b);
  ASSERT_EQ(b.got.size(), 4U);
  EXPECT_EQ(b.got[2].type, message::what_kind::cancel_requested);
  EXPECT_EQ(b.got[2].id, 1U);
  b.pair.answer_cancel(1, true);
  b.pair.answer_cancel(2, false);
  settle(a, b);
  EXPECT_EQ(one->cancel, ticket::cancelling::cancelled);
  EXPECT_TRUE(one->done);
  EXPECT_EQ(two->cancel, ticket::cancelling::refused);
  EXPECT_FALSE(two->done);
}

}  // namespace pair_test
