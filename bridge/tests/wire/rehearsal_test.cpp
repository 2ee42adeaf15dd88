#include <gtest/gtest.h>

#include <bridge/wire/rehearsal.hpp>
#include <thread>

namespace rehearsal_test {

using namespace osteon::bridge::wire;

void expect_packets(const tls_context* tls) {
  rehearsal r(tls);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (r.packets() < 100 && std::chrono::steady_clock::now() < end) r.now_and_then();
  EXPECT_GE(r.packets(), 100U);
}

TEST(rehearsal, packets_come_back_with_and_without_tls) {
  expect_packets(nullptr);
  const tls_context tls("a key");
  expect_packets(&tls);
}

// A process that polls asks as often as it can: packets go only now and then, and none gets stuck.
TEST(rehearsal, is_not_for_every_look) {
  rehearsal r(nullptr);
  const auto before = r.packets();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000000; ++i) r.now_and_then();
  const double milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(static_cast<double>(r.packets() - before), 4 * milliseconds + 2);
}

}  // namespace rehearsal_test
