#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <osteon/voxel/changed_greys.hpp>

namespace changed_greys_test {

using namespace osteon;
using namespace osteon::voxel;

image_planes planes_of(index3 shape, const std::vector<double>& values) {
  image whole{shape, scalar::f8, std::vector<std::byte>(values.size() * sizeof(double))};
  std::memcpy(whole.bytes.data(), values.data(), whole.bytes.size());
  return whole;
}

std::vector<float> all_of(const image_planes& planes, std::int64_t at_a_time) {
  std::vector<float> values;
  image block;
  for (std::int64_t z = 0; z < planes.shape.z; z += at_a_time) {
    planes.read_into(block, z, std::min(at_a_time, planes.shape.z - z));
    block.visit([&](auto view) {
      for (std::int64_t i = 0; i < view.size(); ++i) values.push_back(static_cast<float>(view.data_handle()[i]));
    });
  }
  return values;
}

double mean(const std::vector<float>& v) { return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size()); }

// Oracle: the mean of 2^3 voxels, computed by hand.
TEST(coarsen, takes_means_of_blocks) {
  const index3 shape{4, 2, 6};
  std::vector<double> values(static_cast<std::size_t>(shape.volume()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i % 17);
  const image_planes coarse = coarsen(planes_of(shape, values), coarsened_shape(shape, 2));
  ASSERT_EQ(coarse.shape, (index3{2, 1, 3}));
  const std::vector<float> found = all_of(coarse, 1);
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t x = 0; x < 3; ++x) {
      double sum = 0;
      for (std::size_t k = 0; k < 8; ++k) sum += values[((2 * z + k / 4) * 2 + k / 2 % 2) * 6 + 2 * x + k % 2];
      EXPECT_FLOAT_EQ(found[z * 3 + x], static_cast<float>(sum / 8));
    }
}

// Oracle: the integral of a field that increases along one axis. The mean over all voxels is conserved, for any shape.
TEST(coarsen, keeps_the_size_where_voxels_are_cut) {
  const index3 shape{7, 5, 9};
  std::vector<double> values;
  for (std::int64_t z = 0; z < shape.z; ++z) values.insert(values.end(), 45, 3 * static_cast<double>(z));
  const image_planes coarse = coarsen(planes_of(shape, values), coarsened_shape(shape, 4));
  ASSERT_EQ(coarse.shape, (index3{2, 2, 3}));
  const std::vector<float> found = all_of(coarse, 2);
  // Each mean is over 3.5 planes, which are the whole planes 0, 1 and 2, and half of plane 3.
  EXPECT_FLOAT_EQ(found.front(), static_cast<float>(3 * (0 + 1 + 2 + 0.5 * 3) / 3.5));
  EXPECT_NEAR(mean(found), 9, 1e-5);
}

// Oracle: the definition. The mean is 0, the deviation is the given deviation, and the covariance is that of a Gaussian that
// is sqrt(2) times as wide. The numbers are equal for any order of reading the planes.
TEST(noise, has_the_deviation_and_the_width_that_are_asked_for) {
  const index3 shape{24, 40, 50};
  const image_planes flat = planes_of(shape, std::vector<double>(static_cast<std::size_t>(shape.volume()), 100));
  for (const double blur : {0.0, 1.0}) {
    const std::vector<float> found = all_of(with_noise(flat, 5, blur, 3), 24);
    EXPECT_EQ(all_of(with_noise(flat, 5, blur, 3), 5), found);
    EXPECT_NE(all_of(with_noise(flat, 5, blur, 4), 24), found);
    double square = 0, beside = 0;
    const double average = mean(found);
    for (std::size_t i = 0; i + 1 < found.size(); ++i) {
      const double here = static_cast<double>(found[i]) - average, next = static_cast<double>(found[i + 1]) - average;
      square += here * here;
      if ((i + 1) % 50 != 0) beside += here * next;
    }
    const auto count = static_cast<double>(found.size());
    EXPECT_NEAR(average, 100, blur > 0 ? 0.6 : 0.1);
    EXPECT_NEAR(std::sqrt(square / count), 5, blur > 0 ? 0.3 : 0.1);
    EXPECT_NEAR(beside / (count * 49 / 50) / 25, blur > 0 ? std::exp(-0.25) : 0, 0.05);
  }
}

}  // namespace changed_greys_test
