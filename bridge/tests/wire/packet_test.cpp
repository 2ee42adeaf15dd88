#include <gtest/gtest.h>

#include <bridge/wire/endpoint/pair.hpp>
#include <bridge/wire/packet.hpp>
#include <bridge/wire/startup.hpp>
#include <cstdlib>
#include <cstring>
#include <random>

namespace packet_test {

using namespace osteon::bridge::wire;

job_id some_job() {
  job_id j;
  for (std::size_t i = 0; i < j.size(); ++i) j[i] = static_cast<std::byte>(i * 7);
  return j;
}

std::vector<std::byte> bytes_of(packet_header h, std::size_t payload) {
  h.job = some_job();
  h.len = static_cast<std::uint32_t>(payload);
  std::vector<std::byte> v(header_bytes + payload, std::byte{0x5a});
  encode(h, std::span<std::byte, header_bytes>(v.data(), header_bytes));
  return v;
}

/// Number of inputs for the fuzz tests below. The variable is OSTEON_FUZZ_INPUTS, which is set for long runs with a
/// sanitizer (bridge/docs/wire.md).
int inputs(int otherwise) {
  const char* text = std::getenv("OSTEON_FUZZ_INPUTS");
  return text != nullptr ? std::atoi(text) : otherwise;
}

/// A valid input, in which some bytes are changed, removed, duplicated or prepended.
template <class Bytes>
Bytes spoilt(const Bytes& good, std::mt19937& random) {
  Bytes v = good;
  const unsigned times = 1 + random() % 4;
  for (unsigned n = 0; n < times && !v.empty(); ++n) {
    const std::size_t at = random() % v.size();
    using element = typename Bytes::value_type;
    switch (random() % 5) {
      case 0:
        v[at] = static_cast<element>(random() & 0xff);
        break;
      case 1:
        v[at] = static_cast<element>(static_cast<unsigned>(v[at]) ^ (1U << random() % 8));
        break;
      case 2:
        v.resize(at);
        break;
      case 3:
        v.insert(v.end(), good.begin(), good.end());
        break;
      default:
        for (std::size_t i = at; i < std::min(at + 8, v.size()); ++i)
          v[i] = static_cast<element>(random() % 2 != 0 ? 0xff : 0);
    }
  }
  return v;
}

// Oracle: the offsets of the fields in IMPI 0.0, counted manually.
TEST(packet, has_the_layout_of_impi) {
  packet_header h;
  h.type = packet_type::syncack;
  h.source = 0x0102030405060708;
  h.dest = 0x1112131415161718;
  h.srqid = 0x2122232425262728;
  h.drqid = 0x3132333435363738;
  h.msglen = 0x4142434445464748;
  h.lsrank = 0x51525354;
  h.tag = -2;
  h.cid = 0x6162636465666768;
  h.seqnum = 0x7172737475767778;
  h.count = -1;
  h.dtype = 9;
  const auto v = bytes_of(h, 0);
  ASSERT_EQ(v.size(), 128U);
  const auto at = [&](std::size_t i) { return static_cast<int>(v[i]); };
  EXPECT_EQ(at(3), 3);
  EXPECT_EQ(at(24), 0x01);
  EXPECT_EQ(at(31), 0x08);
  EXPECT_EQ(at(48), 0x11);
  EXPECT_EQ(at(56), 0x21);
  EXPECT_EQ(at(64), 0x31);
  EXPECT_EQ(at(72), 0x41);
  EXPECT_EQ(at(80), 0x51);
  EXPECT_EQ(at(84), 0xff);
  EXPECT_EQ(at(87), 0xfe);
  EXPECT_EQ(at(88), 0x61);
  EXPECT_EQ(at(96), 0x71);
  EXPECT_EQ(at(104), 0xff);
  EXPECT_EQ(at(119), 9);
}

TEST(packet, comes_out_as_it_went_in) {
  packet_header h;
  h.type = packet_type::datasync;
  h.source = 2;
  h.dest = 4;
  h.srqid = 77;
  h.msglen = 5000;
  h.tag = -12;
  h.cid = 3;
  h.seqnum = 9;
  h.count = 42;
  const auto v = bytes_of(h, 100);
  const parsed p = parse(v, some_job(), 5);
  const auto* view = std::get_if<packet_view>(&p);
  ASSERT_NE(view, nullptr);
  EXPECT_EQ(view->consumed, 228U);
  EXPECT_EQ(view->payload.size(), 100U);
  EXPECT_EQ(view->header.source, 2);
  EXPECT_EQ(view->header.tag, -12);
  EXPECT_EQ(view->header.count, 42);
  EXPECT_EQ(view->header.msglen, 5000U);
}

TEST(packet, is_refused_by_name_when_it_cannot_be) {
  packet_header h;
  h.msglen = 10;
  const auto cut_off = bytes_of(h, 10);
  EXPECT_TRUE(std::holds_alternative<packet_view>(parse(bytes_of(h, 10), some_job(), 1)));
  EXPECT_TRUE(std::holds_alternative<need_more>(parse(std::span<const std::byte>(cut_off).first(130), some_job(), 1)));
  // the packet belongs to another job
  EXPECT_TRUE(std::holds_alternative<malformed>(parse(bytes_of(h, 10), job_id{}, 1)));
  EXPECT_TRUE(std::holds_alternative<malformed>(parse(bytes_of(h, 11), some_job(), 1)));  // the part exceeds the message
  EXPECT_TRUE(std::holds_alternative<malformed>(parse(bytes_of(h, 10), some_job(), 0)));  // the rank does not exist
  h.flags = flag_continues;
  h.count = 1;
  // The part extends beyond the end of the message.
  EXPECT_TRUE(std::holds_alternative<malformed>(parse(bytes_of(h, 10), some_job(), 1)));
  h.flags = 64;
  EXPECT_TRUE(std::holds_alternative<malformed>(parse(bytes_of(h, 10), some_job(), 1)));
}

// Invariant: the parser consumes at most the input, and the payload is inside the input. The parser does not crash
// (sanitizers).
TEST(fuzz, packets_that_are_spoilt_are_parsed_or_refused) {
  std::mt19937 random(1);
  std::vector<std::vector<std::byte>> seeds;
  for (const auto type :
       {packet_type::data, packet_type::datasync, packet_type::protoack, packet_type::hello, packet_type::failure}) {
    packet_header h;
    h.type = type;
    h.msglen = 300;
    h.seqnum = 1;
    seeds.push_back(bytes_of(h, type == packet_type::protoack ? 0 : 40));
  }
  int whole = 0;
  const int count = inputs(40000);
  for (int n = 0; n < count; ++n) {
    const auto input = spoilt(seeds[random() % seeds.size()], random);
    // the size is exact; sanitizers then detect a read beyond the end
    const std::vector<std::byte> exact(input.begin(), input.end());
    const parsed p = parse(exact, some_job(), 4);
    const auto* v = std::get_if<packet_view>(&p);
    if (v == nullptr) continue;
    ++whole;
    ASSERT_LE(v->consumed, exact.size());
    ASSERT_EQ(v->payload.data(), exact.data() + header_bytes);
    ASSERT_EQ(v->payload.size() + header_bytes, v->consumed);
  }
  EXPECT_GT(whole, count / 20);
}

// Invariant: the protocol accepts any input or reports a fault. The stored data do not exceed the limits.
TEST(fuzz, a_pair_survives_packets_that_make_no_sense) {
  std::mt19937 random(2);
  const pair_limits limits{.short_bytes = 64, .eager_bytes = 1024, .ackmark = 4, .hiwater = 16};
  int refused = 0;
  const int count = inputs(40000) / 20;
  for (int n = 0; n < count; ++n) {
    pair_protocol pair(0, 1, limits);
    std::vector<message> got;
    const pair_protocol::sink sink{[&](message&& m) { got.push_back(std::move(m)); },
                                   [](ticket::state& s) { s.done = true; }, [](ticket::state&, bool) {}};
    std::vector<std::byte> data(500), buffer(300);
    pair.send(7, {}, data, false);
    while (pair.next()) {
    }
    for (int k = 0; k < 20; ++k) {
      packet_header h;
      h.type = static_cast<packet_type>(random() % 10 < 8 ? random() % 8 : 0x8002);
      h.seqnum = random() % 4 != 0 ? static_cast<std::uint64_t>(k) + 1 - random() % 2 : random() % 40;
      h.srqid = random() % 3 != 0 ? 7 : random();
      h.drqid = random() % 3;
      h.len = random() % 65;
      h.msglen = h.len + random() % 3 * 100;
      h.flags = random() % 4 == 0 ? flag_continues : 0U;
      h.count = static_cast<std::int64_t>(random() % (h.msglen - h.len + 1));
      if (h.type != packet_type::data) h.flags = 0;
      const std::vector<std::byte> payload(h.len);
      if (!pair.arrived(h, payload, sink).empty()) {
        ++refused;
        break;
      }
      if (!got.empty() && got.back().wants_reply) pair.receive(random() % 3, got.back(), buffer);
      while (pair.next()) {
      }
      ASSERT_LE(pair.bytes_held(), 16U * 64U + 500U);
    }
  }
  EXPECT_GT(refused, count / 4);
}

// Invariant: as in the tests above, for the commands of the start-up protocol.
TEST(fuzz, commands_that_are_spoilt_are_taken_or_refused) {
  std::mt19937 random(3);
  registration r;
  r.host = "node1";
  r.address = "10.0.0.1";
  r.facts = "some facts";
  collation c;
  c.names = {"a", "b"};
  c.relays = {"", ""};
  c.processes = {r, r};
  const std::string seeds[] = {encode(r), encode(c)};
  int absorbed = 0;
  const int count = inputs(20000);
  for (int n = 0; n < count; ++n) {
    const std::string input = spoilt(seeds[n % 2], random);
    std::string_view rest = input;
    registration to;
    collation into;
    for (;;) {
      const parsed_frame p = parse_frame(rest, 1 << 16);
      const auto* f = std::get_if<frame_view>(&p);
      if (f == nullptr) break;
      ASSERT_LE(f->consumed, rest.size());
      rest.remove_prefix(f->consumed);
      absorbed += n % 2 == 0 ? absorb(to, f->kind, f->data).empty() : absorb(into, f->kind, f->data).empty();
    }
  }
  EXPECT_GT(absorbed, count);
}

}  // namespace packet_test
