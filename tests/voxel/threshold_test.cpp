#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/voxel/segment.hpp>
#include <random>

namespace threshold_test {

using namespace osteon;
using namespace osteon::voxel;

template <class T>
image make_image(const std::vector<T>& values, scalar type) {
  image scan{{1, 1, static_cast<std::int64_t>(values.size())}, type, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(scan.bytes.data(), values.data(), scan.bytes.size());
  return scan;
}

// Oracle: the definition, evaluated for every threshold.
TEST(otsu, maximises_the_variance_between_classes) {
  std::mt19937 generator(3);
  for (int trial = 0; trial < 30; ++trial) {
    std::normal_distribution<double> dark(60 + trial, 15), bright(170, 12);
    std::vector<std::uint8_t> values;
    for (int i = 0; i < 3000; ++i)
      values.push_back(static_cast<std::uint8_t>(std::clamp(i % 3 ? dark(generator) : bright(generator), 0.0, 255.0)));
    const auto variance = [&](double threshold) {
      double n0 = 0, n1 = 0, s0 = 0, s1 = 0;
      for (auto v : values) (v > threshold ? n1 : n0) += 1, (v > threshold ? s1 : s0) += v;
      return n0 && n1 ? n0 * n1 * std::pow(s0 / n0 - s1 / n1, 2) : 0;
    };
    double best = 0;
    for (int t = 0; t < 255; ++t) best = std::max(best, variance(t));

    const image scan = make_image(values, scalar::u1);
    const double threshold = otsu_threshold(scan, check_values(scan));

    EXPECT_NEAR(variance(threshold), best, 1e-9 * best);
  }
}

TEST(otsu, separates_floats_and_wide_integers) {
  const std::vector<float> floats{-1.5F, -1.4F, -1.45F, 2.0F, 2.1F};
  const image scan = make_image(floats, scalar::f4);
  const double threshold = otsu_threshold(scan, check_values(scan));
  EXPECT_GT(threshold, -1.4);
  EXPECT_LT(threshold, 2.0);
  const std::vector<std::int32_t> wide{-2000000000, -1999999999, 2000000000};
  const image big = make_image(wide, scalar::i4);
  const double middle = otsu_threshold(big, check_values(big));
  EXPECT_GT(middle, -1999999999.0);
  EXPECT_LT(middle, 2000000000.0);
}

// Oracle: counted by hand. Whole greys are exact, and floats are exact to one bin.
TEST(volume_threshold, leaves_as_many_voxels_as_the_greys_tell) {
  const image whole = make_image(std::vector<std::uint8_t>{0, 0, 0, 50, 100, 150, 200, 200, 200, 200}, scalar::u1);
  // (0 + 0 + 0 + 50 + 100 + 150 + 4 * 200) / 200 = 5.5 voxels; the smaller number is used in a tie
  const double threshold = volume_threshold(whole, check_values(whole), {0, 200});
  EXPECT_EQ(threshold, 100);
  const image floats = make_image(std::vector<float>{-3, -3, -1, 1, 3, 3, 3, 3}, scalar::f4);
  const double middle = volume_threshold(floats, check_values(floats), {-3, 3});  // 1/3 + 2/3 + 4 of 8
  EXPECT_GT(middle, -1);
  EXPECT_LT(middle, 1);
}

TEST(volume_threshold, counts_metal_as_no_more_than_two_voxels) {
  const image scan = make_image(std::vector<std::uint16_t>{0, 0, 0, 0, 100, 100, 60000}, scalar::u2);
  const double threshold = volume_threshold(scan, check_values(scan), {0, 100});  // 1 + 1 + 2 of 7
  EXPECT_EQ(threshold, 0);
}

TEST(volume_threshold, refuses_greys_that_are_not_of_the_image) {
  const image scan = make_image(std::vector<std::uint8_t>{10, 20, 30}, scalar::u1);
  EXPECT_THROW(volume_threshold(scan, check_values(scan), {100, 200}), data_error);
  EXPECT_THROW(volume_threshold(scan, check_values(scan), {0, 5}), data_error);
}

TEST(otsu, refuses_an_image_of_one_grey_value) {
  const image scan = make_image(std::vector<std::uint8_t>{7, 7, 7}, scalar::u1);
  EXPECT_THROW(otsu_threshold(scan, check_values(scan)), data_error);
}

TEST(check_values, names_the_first_voxel_that_is_not_a_number) {
  image scan = make_image(
      std::vector<float>{1, 2, 3, std::numeric_limits<float>::quiet_NaN(), 5, std::numeric_limits<float>::infinity()},
      scalar::f4);
  scan.shape = {1, 2, 3};
  try {
    check_values(scan);
    FAIL();
  } catch (const data_error& e) {
    EXPECT_NE(std::string(e.what()).find("2 values that are NaN or infinite, the first at voxel (z, y, x) = (0, 1, 0)"),
              std::string::npos)
        << e.what();
  }
}

TEST(crop, cuts_a_box_and_refuses_one_outside) {
  image scan = make_image(std::vector<std::uint16_t>{0, 1, 2, 10, 11, 12, 20, 21, 22}, scalar::u2);
  scan.shape = {1, 3, 3};
  const image_planes part = crop(scan, {{0, 1, 1}, {1, 3, 3}});
  EXPECT_EQ(part.shape, (index3{1, 2, 2}));
  int blocks = 0;
  for_each_block(part, [&](std::int64_t, auto v) {
    ++blocks;
    EXPECT_EQ(v(0, 0, 0), 11);
    EXPECT_EQ(v(0, 1, 1), 22);
  });
  EXPECT_EQ(blocks, 1);
  EXPECT_THROW(crop(scan, {{0, 0, 0}, {1, 3, 4}}), data_error);
}

}  // namespace threshold_test
