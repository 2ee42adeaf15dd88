#include <gtest/gtest.h>

#include <cmath>
#include <osteon/machine/links/fit.hpp>
#include <random>

namespace osteon::machine::fit_test {

constexpr double latency = 20e-6, bandwidth = 50e6;

std::vector<timing> line(std::initializer_list<double> sizes) {
  std::vector<timing> result;
  for (const double bytes : sizes) result.push_back({bytes, latency + bytes / bandwidth});
  return result;
}

const std::initializer_list<double> sizes = {64, 1024, 4096, 16384, 32768, 65536, 131072, 262144, 524288, 1048576};
std::vector<timing> geometric() { return line(sizes); }

// Oracle: the line from which the data were generated.
TEST(fit, exact_data_give_the_line_back) {
  for (const link& found : {fit_robust(geometric()), fit_paper(geometric())}) {
    EXPECT_NEAR(found.bandwidth, bandwidth, 1e-6 * bandwidth);
    EXPECT_NEAR(found.latency_s, latency, 1e-9);
  }
}

TEST(fit, outliers_among_the_sizes_do_not_move_the_robust_line) {
  for (std::size_t spoilt = 0; spoilt < sizes.size(); ++spoilt)
    for (const double factor : {0.2, 5.0}) {
      std::vector<timing> data = geometric();
      data[spoilt].seconds *= factor;
      if (data.back().seconds < 0.5 * line(sizes).back().seconds) continue;  // no timing exceeds the last timing
      EXPECT_NEAR(fit_robust(data).bandwidth, bandwidth, 0.02 * bandwidth) << spoilt << " times " << factor;
    }
}

TEST(fit, a_bucket_that_lets_small_messages_through_does_not_count_as_bandwidth) {
  std::vector<timing> data;
  for (const double bytes : sizes)
    data.push_back({bytes, latency + std::max(bytes - 32768, 0.0) / bandwidth + bytes / 10e9});
  EXPECT_NEAR(fit_robust(data).bandwidth, bandwidth, 0.05 * bandwidth);
}

// Oracle: an invariant. Bandwidths are positive. The method of [Ito] yields negative bandwidths for such data.
TEST(fit, noise_gives_no_negative_bandwidth_or_latency_but_least_squares_does) {
  std::mt19937 random(7);
  std::exponential_distribution<double> noise(1 / 8e-3);  // noise of the scheduler, as large as the times of the messages
  int negative = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<timing> wide = geometric(), close = line({266800, 320000, 400000, 500000, 600000});
    for (auto* data : {&wide, &close})
      for (timing& t : *data) t.seconds += noise(random);
    const link found = fit_robust(wide);
    EXPECT_GT(found.bandwidth, 0);
    EXPECT_TRUE(std::isfinite(found.bandwidth));
    EXPECT_GE(found.latency_s, 0);
    negative += fit_paper(close).bandwidth < 0;
  }
  EXPECT_GT(negative, 5);
}

TEST(fit, times_that_do_not_grow_are_bounded_by_the_largest_message) {
  const std::vector<timing> flat = {{64, 1e-3}, {1024, 1e-3}, {4096, 1e-3}};
  EXPECT_NEAR(fit_robust(flat).bandwidth, 4096 / 1e-3, 1);
  EXPECT_NEAR(fit_robust(std::vector<timing>{{1000, 1e-3}}).bandwidth, 1e6, 1e-3);
  EXPECT_EQ(fit_paper(flat).bandwidth, 0);
}

TEST(fit, the_median_of_an_even_number_is_one_of_them) {
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
  EXPECT_EQ(median({5}), 5);
}

}  // namespace osteon::machine::fit_test
