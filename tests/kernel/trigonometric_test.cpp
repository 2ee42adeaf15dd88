#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/kernel/fourier/trigonometric.hpp>
#include <random>

namespace trigonometric_test {

using namespace osteon;
using kernel::complex_lanes;
using kernel::line_end;
using kernel::line_ends;

constexpr line_ends all_ends[] = {{line_end::mirror, line_end::mirror},
                                  {line_end::mirror, line_end::zero},
                                  {line_end::zero, line_end::mirror},
                                  {line_end::zero, line_end::zero},
                                  {line_end::other_end, line_end::other_end}};

std::vector<complex_lanes> random_lines(int n) {
  std::mt19937 draw(7);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<complex_lanes> lines(static_cast<std::size_t>(n));
  for (complex_lanes& v : lines)
    for (int lane = 0; lane < 4; ++lane) v.re[lane] = value(draw), v.im[lane] = value(draw);
  return lines;
}

// Values beyond the ends of line `lane` of eight lines.
double point(const std::vector<complex_lanes>& lines, line_ends ends, int j, int lane) {
  const int n = static_cast<int>(lines.size());
  double sign = 1;
  if (j < 0) {
    if (ends.low == line_end::zero) sign = -1;
    j = ends.low == line_end::other_end ? n - 1 : 0;
  } else if (j >= n) {
    if (ends.high == line_end::zero) sign = -1;
    j = ends.high == line_end::other_end ? 0 : n - 1;
  }
  const complex_lanes& v = lines[static_cast<std::size_t>(j)];
  return sign * (lane < 4 ? v.re[lane] : v.im[lane - 4]);
}

// Oracle: the definition. F^T norm F is the identity. F^T norm eigenvalue F is the second difference. There are eight
// different lines, so that exchanged lines are detected. Some lengths need one pass and others many, and the lengths include
// powers and primes.
TEST(trigonometric, takes_second_differences_apart) {
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 15, 16, 17, 25, 31, 34, 60, 64, 77, 128, 211})
    for (const line_ends ends : all_ends) {
      const kernel::trigonometric_transform transform(n, ends);
      std::vector<complex_lanes> scratch(static_cast<std::size_t>(transform.scratch_points()));
      const auto lines = random_lines(n);
      auto modes = lines;
      transform.forward(modes.data(), scratch.data());
      auto same = modes, second = modes;
      for (int k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        same[at] = transform.norms()[at] * modes[at];
        second[at] = transform.norms()[at] * transform.eigenvalues()[at] * modes[at];
      }
      transform.backward(same.data(), scratch.data());
      transform.backward(second.data(), scratch.data());
      double worst = 0;
      for (int j = 0; j < n; ++j)
        for (int lane = 0; lane < 8; ++lane) {
          const double exact =
              2 * point(lines, ends, j, lane) - point(lines, ends, j - 1, lane) - point(lines, ends, j + 1, lane);
          worst = std::max({worst, std::abs(point(same, ends, j, lane) - point(lines, ends, j, lane)),
                            std::abs(point(second, ends, j, lane) - exact)});
        }
      EXPECT_LT(worst, 1e-14 * std::max(n, 10))
          << n << " points, ends " << static_cast<int>(ends.low) << static_cast<int>(ends.high);
    }
}

// Oracle: the closed form of row k of the cosines.
TEST(trigonometric, gives_a_cosine_one_mode) {
  constexpr int n = 17, k = 5;
  const kernel::trigonometric_transform transform(n, {});
  std::vector<complex_lanes> lines(n), scratch(static_cast<std::size_t>(transform.scratch_points()));
  for (int j = 0; j < n; ++j)
    lines[static_cast<std::size_t>(j)].im[2] = std::cos(std::numbers::pi * k * (2 * j + 1) / (2 * n));
  transform.forward(lines.data(), scratch.data());
  for (int m = 0; m < n; ++m)
    for (int lane = 0; lane < 4; ++lane) {
      EXPECT_NEAR(lines[static_cast<std::size_t>(m)].im[lane], m == k && lane == 2 ? n / 2.0 : 0, 1e-13);
      EXPECT_NEAR(lines[static_cast<std::size_t>(m)].re[lane], 0, 1e-13);
    }
}

TEST(trigonometric, rejects_invalid_input) {
  EXPECT_THROW(kernel::trigonometric_transform(0, {}), usage_error);
  EXPECT_THROW(kernel::trigonometric_transform(8, {line_end::other_end, line_end::mirror}), usage_error);
}

}  // namespace trigonometric_test
