#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>

#include "brick_case.hpp"

namespace hex8_multiply_test {

using namespace osteon;
using namespace osteon::test;

template <class T>
std::vector<T> multiplied(const brick_case& solid, const std::vector<double>& x) {
  const std::vector<T> xt(x.begin(), x.end());
  std::vector<T> y(x.size(), T(99));  // the previous content must have no effect
  kernel::hex8_stiffness<T>(spacing_mm, materials).multiply(solid.bricks(), xt.data(), y.data(), solid.stride);
  return y;
}

/// Largest difference from the element matrices, relative to the largest force.
template <class T>
double relative_error(const brick_case& solid) {
  const auto x = random_vector(static_cast<std::size_t>(3 * solid.stride));
  const auto y = multiplied<T>(solid, x);
  const auto expected = product_by_matrix(solid, x);
  double error = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error = std::max(error, std::abs(static_cast<double>(y[i]) - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  return error / size;
}

void expect_exact(const brick_case& solid) {
  EXPECT_LT(relative_error<double>(solid), 1e-13);
  EXPECT_LT(relative_error<float>(solid), 1e-5);
}

std::vector<material_number> full(index3 shape) {
  return std::vector<material_number>(static_cast<std::size_t>(shape.volume()), 1);
}

// Oracle: the element matrix by Gauss quadrature.
TEST(hex8_multiply, equals_the_element_matrices_on_random_solids_of_one_and_of_mixed_materials) {
  for (const int labels : {1, 3})
    for (const double fill : {0.1, 0.4, 0.8}) {
      SCOPED_TRACE(testing::Message() << labels << " materials, fill " << fill);
      expect_exact(make_case({19, 7, 23}, random_labels({19, 7, 23}, labels, fill)));
    }
}

// Oracle: the element matrix by Gauss quadrature.
TEST(hex8_multiply, equals_the_element_matrices_on_single_voxels_full_boxes_and_any_number_of_planes) {
  for (const index3 shape :
       {index3{1, 1, 1}, {1, 1, 40}, {40, 1, 1}, {1, 40, 1}, {8, 3, 8}, {9, 3, 8}, {16, 2, 9}, {17, 4, 17}}) {
    SCOPED_TRACE(testing::Message() << shape.z << " " << shape.y << " " << shape.x);
    expect_exact(make_case(shape, full(shape)));
  }
}

// Oracle: the element matrix. Two adjacent runs share four nodes, to which the first run has assigned a value.
TEST(hex8_multiply, takes_runs_that_touch) {
  auto solid = make_case({9, 5, 23}, random_labels({9, 5, 23}, 2, 0.8));
  std::vector<kernel::hex8_run> halves;
  std::vector<std::size_t> begin{0};
  for (std::size_t z = 0; z + 1 < solid.lists.run_plane_begin.size(); ++z) {
    for (std::size_t i = solid.lists.run_plane_begin[z]; i < solid.lists.run_plane_begin[z + 1]; ++i) {
      kernel::hex8_run low = solid.lists.runs[i], high = low;
      low.length /= 2;
      for (auto& node : high.node) node += low.length;
      high.cell += low.length;
      high.length -= low.length;
      if (low.length > 0) halves.push_back(low);
      halves.push_back(high);
    }
    begin.push_back(halves.size());
  }
  ASSERT_GT(halves.size(), solid.lists.runs.size());
  solid.lists.runs = halves;
  solid.lists.run_plane_begin = begin;
  expect_exact(solid);
}

// Oracle: determined by hand. Nodes without a brick on this rank, and the gap between components, have zero force.
TEST(hex8_multiply, clears_everything_else) {
  for (const index3 shape : {index3{0, 3, 3}, {2, 1, 3}}) {
    const auto solid = make_case(shape, full(shape));
    const auto y = multiplied<double>(solid, random_vector(static_cast<std::size_t>(3 * solid.stride)));
    for (std::int64_t i = 0; i < 3 * solid.stride; ++i)
      if (i % solid.stride >= solid.nodes.size()) {
        EXPECT_EQ(y[static_cast<std::size_t>(i)], 0) << i;
      }
  }
}

// Oracle: an invariant. The results are bitwise equal for any number of threads.
TEST(hex8_multiply, does_not_depend_on_the_number_of_threads) {
  const index3 shape{37, 9, 21};
  const auto solid = make_case(shape, random_labels(shape, 3, 0.7));
  const auto x = random_vector(static_cast<std::size_t>(3 * solid.stride));
  omp_set_num_threads(1);
  const auto one = multiplied<double>(solid, x);
  for (const int threads : {2, 3, 5}) {
    omp_set_num_threads(threads);
    EXPECT_EQ(multiplied<double>(solid, x), one) << threads;
  }
}

// Oracle: the stiffness by Gauss points, without the volumetric part of the difference between the dilatation and its mean
// over the brick. The bricks have one material, or two materials with equal constants next to each other.
TEST(hex8_multiply, mean_dilatation_removes_deviations_from_the_mean) {
  const kernel::lame bone = kernel::lame_of(10, 0.3);
  const std::vector<kernel::lame> twins{{}, bone, bone};
  const index3 shape{4, 3, 11};
  auto mixed = random_labels(shape, 2, 0.7), one = mixed;
  for (auto& m : one) m = m != 0;
  const brick_case solid = make_case(shape, mixed), same = make_case(shape, one);
  const auto x = random_vector(static_cast<std::size_t>(3 * solid.stride));
  const auto product = [&](const brick_case& of) {
    std::vector<double> y(x.size());
    kernel::hex8_stiffness<double>(spacing_mm, twins, kernel::dilatation::mean)
        .multiply(of.bricks(), x.data(), y.data(), of.stride);
    return y;
  };
  std::vector<double> expected(x.size());
  kernel::hex8_stiffness<double>(spacing_mm, twins).multiply(same.bricks(), x.data(), expected.data(), same.stride);
  const double bulk = bone.lambda + 2 * bone.mu / 3, weight = spacing_mm.z * spacing_mm.y * spacing_mm.x / 8;
  for (const kernel::hex8_run& run : same.lists.runs)
    for (std::int32_t e = 0; e < run.length; ++e) {
      double slope[8][8][3], mean[8][3]{};  // gradients of the shape functions at the Gauss points
      for (int g = 0; g < 8; ++g)
        for (int a = 0; a < 8; ++a)
          for (int d = 0; d < 3; ++d) {
            double value = (a & 4 >> d ? 1 : -1) / spacing_mm[d];
            for (int other = 0; other < 3; ++other)
              if (other != d) value *= (1 + ((a ^ g) & 4 >> other ? -1 : 1) / std::sqrt(3.0)) / 2;
            slope[g][a][d] = value;
            mean[a][d] += value / 8;
          }
      const auto place = [&](int a, int d) {
        return static_cast<std::size_t>(d * same.stride + run.node[a / 2] + (a & 1) + e);
      };
      for (int g = 0; g < 8; ++g) {
        double differs = 0;
        for (int a = 0; a < 8; ++a)
          for (int d = 0; d < 3; ++d) differs += (slope[g][a][d] - mean[a][d]) * x[place(a, d)];
        for (int a = 0; a < 8; ++a)
          for (int d = 0; d < 3; ++d) expected[place(a, d)] -= weight * bulk * differs * (slope[g][a][d] - mean[a][d]);
      }
    }
  const auto of_one = product(same), of_two = product(solid);
  for (const voxel::run& r : same.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      for (int c = 0; c < 3; ++c) {
        const auto at = static_cast<std::size_t>(c * same.stride + r.first + i);
        EXPECT_NEAR(of_one[at], expected[at], 1e-11);
        EXPECT_NEAR(of_two[at], expected[at], 1e-11);
      }
}

// Oracle: the product of the same values as doubles; invariant: each plane of nodes is complete once, with its final values.
TEST(hex8_multiply, completes_each_plane_once) {
  const int threads_before = omp_get_max_threads();
  for (const std::int64_t planes : {1, 2, 3, 8, 9, 17, 33})
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << planes << " planes, " << threads << " threads");
      omp_set_num_threads(threads);
      const index3 shape{planes, 5, 11};
      const brick_case solid = make_case(shape, random_labels(shape, 2, 0.6));
      std::vector<double> x = random_vector(static_cast<std::size_t>(3 * solid.stride));
      std::vector<float> narrow(x.begin(), x.end());
      x.assign(narrow.begin(), narrow.end());
      const std::vector<double> expected = multiplied<double>(solid, x);
      std::vector<double> y(x.size(), 99), seen(x.size(), -1);
      std::vector<int> calls(static_cast<std::size_t>(planes) + 1);
      const auto node_begin = solid.bricks().node_plane_begin;
      kernel::hex8_stiffness<double>(spacing_mm, materials)
          .multiply(solid.bricks(), narrow.data(), y.data(), solid.stride, [&](std::int64_t plane) {
            const auto k = static_cast<std::size_t>(plane);
            ++calls[k];
            for (std::int64_t c = 0; c < 3; ++c)
              for (std::int64_t i = node_begin[k]; i < node_begin[k + 1]; ++i) {
                const auto at = static_cast<std::size_t>(c * solid.stride + i);
                seen[at] = y[at];
                narrow[at] = std::nanf("");  // no product may read these values
              }
          });
      EXPECT_EQ(calls, std::vector<int>(calls.size(), 1));
      for (std::int64_t c = 0; c < 3; ++c)
        for (std::int64_t i = 0; i < node_begin.back(); ++i) {
          const auto at = static_cast<std::size_t>(c * solid.stride + i);
          EXPECT_EQ(y[at], expected[at]);
          EXPECT_EQ(seen[at], expected[at]);
        }
    }
  omp_set_num_threads(threads_before);
}

}  // namespace hex8_multiply_test
