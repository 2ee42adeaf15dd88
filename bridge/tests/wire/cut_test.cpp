#include <gtest/gtest.h>

#include <thread>
#include <wire/job.hpp>
#include <wire/wan.hpp>

namespace cut_test {

using namespace osteon::bridge::wire;

std::string free_port() { return std::to_string(listen_on("", "127.0.0.1").second); }

/// Two clusters with one process each, and a wide-area link between them.
struct remote_pair {
  explicit remote_pair(test::wan_settings s, const test::adjust& change = {}) {
    const std::string port = free_port();
    link = std::make_unique<test::wan>("127.0.0.1:" + port, s);
    j = test::join({1, 1}, true, [&](settings& x, int cluster, int local) {
      if (cluster == 0) {
        x.ports = port;
        x.address = "127.0.0.1:" + std::to_string(link->port());
      }
      x.cut_seconds = 2;
      x.heartbeat_seconds = 0.3;
      if (change) change(x, cluster, local);
    });
  }
  std::unique_ptr<test::wan> link;
  test::job j;
};

/// Both clusters send `count` messages to each other while `disturb` runs. All messages must arrive completely and in order.
void exchange_while(remote_pair& p, int count, const std::function<void()>& disturb) {
  std::thread trouble(disturb);
  std::vector<std::future<void>> work;
  for (int me = 0; me < 2; ++me) {
    work.push_back(std::async(std::launch::async, [&p, me, count] {
      endpoint& e = *p.j.ranks[static_cast<std::size_t>(me)];
      std::vector<std::vector<std::byte>> data;
      std::vector<ticket> sent;
      for (int i = 0; i < count; ++i) {
        data.push_back(test::pattern(i % 5 == 0 ? 300000 : 1000, static_cast<unsigned>(i)));
        sent.push_back(e.send(1 - me, {.tag = i}, data.back()));
      }
      for (int i = 0; i < count; ++i) {
        message m = test::next(e, 8);
        ASSERT_EQ(m.fields.tag, i);
        std::vector<std::byte> got(m.total);
        e.wait(e.accept(m, got));
        ASSERT_EQ(got, data[static_cast<std::size_t>(i)]);
      }
      for (const ticket& t : sent) e.wait(t);
    }));
  }
  for (auto& w : work) w.get();
  trouble.join();
}

void pause_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Oracle: the sent messages.
TEST(cut, connections_that_break_are_made_again_and_nothing_is_lost) {
  remote_pair p({1, 200});
  exchange_while(p, 100, [&] {
    for (int n = 0; n < 2; ++n) {
      pause_for(0.15);
      p.link->set(test::wan::state::broken);
      pause_for(0.2);
      p.link->set(test::wan::state::whole);
    }
  });
  test::close(p.j);
}

TEST(cut, a_silent_cut_is_noticed_and_survived) {
  remote_pair p({1, 200}, [](settings& s, int, int) { s.streams = 2; });
  exchange_while(p, 60, [&] {
    pause_for(0.1);
    p.link->set(test::wan::state::frozen);
    pause_for(1.2);  // this pause is longer than three heartbeats, and the connections are dropped
    p.link->set(test::wan::state::whole);
  });
  test::close(p.j);
}

// TCP sends lost packets again. The protocol of the link must not cause a deadlock. Oracle: the sent messages.
TEST(cut, a_link_that_loses_one_packet_in_a_hundred_delivers_all) {
  remote_pair p({.one_way_ms = 2, .mbit = 200, .loss_percent = 1}, [](settings& s, int, int) { s.streams = 2; });
  exchange_while(p, 40, [] {});
  test::close(p.j);
}

// All ranks of one cluster send to one rank of the other cluster at the same time. Oracle: the sent messages; at least a
// third of the rate of the link; the credit of each source, which limits the memory of the receiver.
TEST(cut, all_ranks_of_a_cluster_may_send_to_one) {
  constexpr int senders = 4, count = 12;
  constexpr double mbit = 200;
  constexpr std::size_t size = 200000, eager = 256 << 10;
  const std::string port = free_port();
  test::wan link("127.0.0.1:" + port, {.one_way_ms = 5, .mbit = mbit, .loss_percent = 0.1});
  test::job j = test::join({1, senders}, true, [&](settings& s, int cluster, int) {
    s.eager_bytes = eager;
    if (cluster == 1) return;
    s.ports = port;
    s.address = "127.0.0.1:" + std::to_string(link.port());
  });
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::future<void>> work;
  for (int me = 1; me <= senders; ++me)
    work.push_back(std::async(std::launch::async, [&, me] {
      endpoint& e = *j.ranks[static_cast<std::size_t>(me)];
      const auto data = test::pattern(size, static_cast<unsigned>(me));
      std::vector<ticket> sent;
      for (int i = 0; i < count; ++i) sent.push_back(e.send(0, {.tag = i}, data));
      for (const ticket& t : sent) e.wait(t);
    }));
  endpoint& e = *j.ranks[0];
  pause_for(0.3);
  EXPECT_LE(e.memory_in_use(), senders * (eager + (64 << 10)));
  std::vector<int> next(senders + 1, 0);
  std::vector<std::byte> got(size);
  for (int i = 0; i < senders * count; ++i) {
    message m = test::next(e, 10);
    ASSERT_EQ(m.fields.tag, next[static_cast<std::size_t>(m.source)]++);
    e.wait(e.accept(m, got));
    ASSERT_EQ(got, test::pattern(size, static_cast<unsigned>(m.source)));
  }
  for (auto& w : work) w.get();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  // If messages are received one by one, each message needs a round trip in addition to its transmission time.
  EXPECT_LT(seconds, 3 * senders * count * (8e-6 * size / mbit + 0.01) + 0.3);
  test::close(j);
}

// Oracle: the time limit (2 s, and three heartbeats for the detection), and the names in the message.
TEST(cut, a_long_cut_ends_every_rank_with_a_name_and_a_reason) {
  remote_pair p({1, 0});
  const auto began = std::chrono::steady_clock::now();
  p.link->set(test::wan::state::frozen);
  for (int me = 0; me < 2; ++me) {
    endpoint& e = *p.j.ranks[static_cast<std::size_t>(me)];
    try {
      for (;;) e.wait_event(e.events(), 0.5);
    } catch (const link_error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("cluster 'a'"), std::string::npos) << text;
      EXPECT_NE(text.find("cluster 'b'"), std::string::npos) << text;
      EXPECT_NE(text.find("was not restored within 2 s"), std::string::npos) << text;
    }
    EXPECT_THROW(e.send(1 - me, {}, {}), link_error);
    EXPECT_THROW(e.close(), link_error);
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 6);
}

// Oracle: the text of the side that aborts.
TEST(cut, an_abort_reaches_the_others) {
  test::job j = test::join({1, 2}, true);
  j.ranks[2]->abort("the disk is full");
  for (const std::size_t r : {std::size_t{0}, std::size_t{1}}) {
    try {
      for (;;) j.ranks[r]->wait_event(j.ranks[r]->events(), 0.5);
    } catch (const link_error& error) {
      EXPECT_NE(std::string(error.what()).find("rank 2 (cluster 'b'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("the disk is full"), std::string::npos) << error.what();
    }
  }
}

}  // namespace cut_test
