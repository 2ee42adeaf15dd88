// Settings for links with other users, such as paced streams.
#include <gtest/gtest.h>

#include <wire/job.hpp>

namespace slow_test {

using namespace osteon::bridge::wire;

/// Time in s for `count` messages from rank 0 to rank 1. Each received message is compared with the sent message.
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

// Oracle: with 80 Mbit/s each, two streams need 0.2 s for 4 MB. Without pacing, a loopback needs only a few milliseconds.
TEST(slow, paces_streams) {
  test::job j = test::join({1, 1}, false, [](settings& x, int, int) {
    x.pacing_mbit = 80;
    x.streams = 2;
  });
  EXPECT_GT(seconds_for(j, 4, test::pattern(1000000, 3)), 0.12);
  test::close(j);
}

}  // namespace slow_test
