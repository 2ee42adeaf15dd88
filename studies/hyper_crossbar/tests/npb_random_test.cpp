#include <gtest/gtest.h>

#include <cmath>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>

namespace npb_random_test {

using osteon::studies::npb_random;

// The step as defined by NPB, with a product of doubles in halves of 23 bits.
double halves_step(double& x, double a) {
  constexpr double r23 = 0x1p-23, t23 = 0x1p23, r46 = 0x1p-46, t46 = 0x1p46;
  const double a1 = std::trunc(r23 * a), a2 = a - t23 * a1;
  const double x1 = std::trunc(r23 * x), x2 = x - t23 * x1;
  const double t1 = a1 * x2 + a2 * x1, z = t1 - t23 * std::trunc(r23 * t1);
  const double t3 = t23 * z + a2 * x2;
  x = t3 - t46 * std::trunc(r46 * t3);
  return r46 * x;
}

// Oracle: the definition in doubles (RNR-91-002), compared at each step.
TEST(npb_random, is_the_sequence_of_the_definition) {
  npb_random random;
  double x = 314159265;
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(random.next(), halves_step(x, 1220703125)) << i;
}

// Oracle: single steps.
TEST(npb_random, skips_what_would_have_been_made) {
  for (const std::uint64_t count : {0, 1, 2, 3, 64, 1000, 99'999}) {
    npb_random walked, jumped;
    for (std::uint64_t i = 0; i < count; ++i) walked.next();
    jumped.skip(count);
    EXPECT_EQ(jumped.state(), walked.state()) << count;
  }
}

// Oracle: the mean of four uniform numbers has the mean 1/2 and the variance 1/48. The test uses the first 2^16 keys of
// class A.
TEST(npb_random, keys_have_mean_and_variance_of_four_uniform_numbers) {
  npb_random random;
  constexpr int count = 1 << 16;
  constexpr double range = 1 << 19;
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const auto key = osteon::studies::npb_is_key(random, 1 << 19);
    ASSERT_GE(key, 0);
    ASSERT_LT(key, range);
    sum += key / range;
    squares += key / range * (key / range);
  }
  const double mean = sum / count;
  EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(1.0 / 48 / count));
  EXPECT_NEAR(squares / count - mean * mean, 1.0 / 48, 0.001);
}

}  // namespace npb_random_test
