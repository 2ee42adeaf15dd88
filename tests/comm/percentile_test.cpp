#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/percentile.hpp>
#include <random>

namespace percentile_test {

using namespace osteon;

constexpr double fractions[] = {0, 0.001, 0.5, 0.9, 0.95, 0.98, 0.9999, 1.0};

// The part of the values on this rank. The parts are uneven. If there are many ranks, the last rank has no values.
std::vector<float> share_of(const std::vector<float>& all) {
  const int rank = comm::rank(MPI_COMM_WORLD), size = comm::size(MPI_COMM_WORLD);
  std::vector<float> own;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<int>(i % 7) % (size > 2 ? size - 1 : size) == rank) own.push_back(all[i]);
  return own;
}

// Oracle: sorting of all values.
void expect_those_of_the_sorted(std::vector<float> all) {
  const std::vector<float> found = comm::percentiles(MPI_COMM_WORLD, share_of(all), fractions);
  std::sort(all.begin(), all.end());
  for (std::size_t f = 0; f < std::size(fractions); ++f) {
    const auto rank = std::ceil(fractions[f] * static_cast<double>(all.size()) - 1e-9);
    EXPECT_EQ(found[f], all[static_cast<std::size_t>(std::max(rank, 1.0)) - 1]) << fractions[f];
  }
}

TEST(percentiles, are_values_of_the_sorted_field) {
  std::mt19937 generator(7);
  std::lognormal_distribution<float> value(-2, 2);
  std::vector<float> all;
  for (int i = 0; i < 5001; ++i) all.push_back(i % 50 == 0 ? 0.0F : value(generator));
  expect_those_of_the_sorted(all);
}

TEST(percentiles, of_values_of_both_signs) {
  std::mt19937 generator(8);
  std::normal_distribution<float> value(0.1F, 30);
  std::vector<float> all{-0.0F,
                         0.0F,
                         std::numeric_limits<float>::lowest(),
                         std::numeric_limits<float>::max(),
                         std::numeric_limits<float>::denorm_min(),
                         -std::numeric_limits<float>::denorm_min()};
  for (int i = 0; i < 2000; ++i) all.push_back(value(generator));
  expect_those_of_the_sorted(all);
}

// Oracle: each group computed alone. A group without values has the result 0, and values without a group are ignored.
TEST(percentiles, of_groups_are_those_of_each_alone) {
  std::mt19937 generator(9);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> all;
  for (int i = 0; i < 999; ++i) all.push_back(value(generator) + static_cast<float>(i % 3));
  const std::vector<float> own = share_of(all);
  const auto group_of = [&](std::size_t i) { return own[i] > 1.5F ? comm::no_group : own[i] > 0 ? std::size_t{0} : 2; };
  const std::vector<float> found = comm::percentiles(MPI_COMM_WORLD, own, fractions, 3, group_of);
  for (const std::size_t group : {std::size_t{0}, std::size_t{2}}) {
    std::vector<float> alone;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (group_of(i) == group) alone.push_back(own[i]);
    const std::vector<float> want = comm::percentiles(MPI_COMM_WORLD, alone, fractions);
    for (std::size_t f = 0; f < std::size(fractions); ++f) EXPECT_EQ(found[group * std::size(fractions) + f], want[f]);
  }
  for (std::size_t f = 0; f < std::size(fractions); ++f) EXPECT_EQ(found[std::size(fractions) + f], 0.0F);
}

// Oracle: a list in which each value is repeated according to its weight.
TEST(percentiles, of_weights_are_those_of_repeated_values) {
  std::mt19937 generator(10);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<float> all;
  for (int i = 0; i < 500; ++i) all.push_back(value(generator));
  const std::vector<float> own = share_of(all);
  const auto weight_of = [&](std::size_t i) { return static_cast<std::int64_t>(std::abs(own[i]) * 7); };
  std::vector<float> repeated;
  for (std::size_t i = 0; i < own.size(); ++i)
    repeated.insert(repeated.end(), static_cast<std::size_t>(weight_of(i)), own[i]);
  const auto one_group = [](std::size_t) { return std::size_t{0}; };
  EXPECT_EQ(comm::percentiles(MPI_COMM_WORLD, own, fractions, 1, one_group, weight_of),
            comm::percentiles(MPI_COMM_WORLD, repeated, fractions));
}

TEST(percentiles, of_nothing_are_zero) {
  for (const float value : comm::percentiles(MPI_COMM_WORLD, {}, fractions)) EXPECT_EQ(value, 0.0F);
}

}  // namespace percentile_test
