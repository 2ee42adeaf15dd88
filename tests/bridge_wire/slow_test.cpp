// What is there for slow and shared links: compression and paced streams.
#include <gtest/gtest.h>

#include <bridge_wire/job.hpp>
#include <bridge_wire/wan.hpp>

using namespace osteon::bridge::wire;

namespace {

/// Seconds for `count` messages from rank 0 to rank 1, each compared with what was sent.
double seconds_for(test::job& j, int count, const std::vector<std::byte>& data) {
  const auto begin = std::chrono::steady_clock::now();
  auto reader = std::async(std::launch::async, [&] {
    for (int i = 0; i < count; ++i) {
      message m = test::next(*j.ranks[1], 10);
      std::vector<std::byte> got(m.total);
      j.ranks[1]->wait(j.ranks[1]->accept(m, got));
      EXPECT_EQ(got, data);
    }
  });
  std::vector<ticket> sent;
  for (int i = 0; i < count; ++i) sent.push_back(j.ranks[0]->send(1, {.tag = i}, data));
  for (const ticket& t : sent) j.ranks[0]->wait(t);
  reader.get();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

// Oracle: 2 MB take 0.4 s at 40 Mbit/s; of a text that repeats itself far less has to travel. The first messages tell the
// rate.
TEST(slow, compresses_below_a_rate) {
#ifndef OSTEON_WIRE_ZSTD
  GTEST_SKIP() << "osteon is built without zstd";
#endif
  std::vector<std::byte> text(500000);
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::byte>("four and twenty"[i % 15]);
  double seconds[2];
  for (const bool packed : {false, true}) {
    const std::string port = std::to_string(listen_on("", "127.0.0.1").second);
    test::wan link("127.0.0.1:" + port, {.one_way_ms = 1, .mbit = 200});
    test::job j = test::join({1, 1}, true, [&](settings& x, int cluster, int) {
      if (packed) x.zstd_below_mbit = 1000;
      if (cluster != 0) return;
      x.ports = port;
      x.address = "127.0.0.1:" + std::to_string(link.port());
    });
    seconds_for(j, 20, text);
    seconds[packed] = seconds_for(j, 20, text);
    test::close(j);
  }
  EXPECT_GT(seconds[0], 0.25);
  EXPECT_LT(seconds[1], seconds[0] / 2);
}

// Oracle: two streams of 80 Mbit/s each need 0.2 s for 4 MB; a loopback without pacing needs a few milliseconds.
TEST(slow, paces_streams) {
  test::job j = test::join({1, 1}, false, [](settings& x, int, int) {
    x.pacing_mbit = 80;
    x.streams = 2;
  });
  EXPECT_GT(seconds_for(j, 4, test::pattern(1000000, 3)), 0.12);
  test::close(j);
}
