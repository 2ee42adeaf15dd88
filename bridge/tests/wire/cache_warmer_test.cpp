#include <gtest/gtest.h>

#include <bridge/wire/endpoint/cache_warmer.hpp>
#include <thread>

namespace cache_warmer_test {

using namespace osteon::bridge::wire;

void expect_packets(const tls_context* tls) {
  cache_warmer r(tls);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (r.packets() < 100 && std::chrono::steady_clock::now() < end) r.now_and_then();
  EXPECT_GE(r.packets(), 100U);
}

TEST(cache_warmer, packets_come_back_with_and_without_tls) {
  expect_packets(nullptr);
  const tls_context tls("a key");
  expect_packets(&tls);
}

// A polling process calls the function continually. Packets must be sent only periodically, and no packet may be lost.
TEST(cache_warmer, is_not_for_every_look) {
  cache_warmer r(nullptr);
  const auto before = r.packets();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000000; ++i) r.now_and_then();
  const double milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(static_cast<double>(r.packets() - before), 4 * milliseconds + 2);
}

}  // namespace cache_warmer_test
