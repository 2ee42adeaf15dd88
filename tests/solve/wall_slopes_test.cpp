#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <osteon/solve/flow/wall_slopes.hpp>

#include "solve/heat_images.hpp"

namespace wall_slopes_test {

using namespace heat_images;

// Area of the faces between fluid (1) and solid (0), outer faces left out: of the smooth surface, and of the faces.
std::array<double, 2> areas(MPI_Comm comm, const image& img, vector3 h = {1, 1, 1}) {
  const auto table = conductivities({1});
  const auto problem = make_problem(comm, img, table, h, axis::z);
  const solve::wall_slopes slopes(problem.where, problem.cells, h);
  solve::surface_sum smooth, faces;
  for (const voxel::run& r : problem.cells.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      const index3 p = problem.where.owned.begin + index3{r.z, r.y, r.x + n};
      for (std::size_t side = 0; side < 6; ++side) {
        index3 q = p;
        q[static_cast<int>(side / 2)] += side % 2 == 0 ? -1 : 1;
        if (!box3{{}, img.shape}.contains(q) || img.at(q) != 0) continue;
        smooth.add(side / 2, slopes.share(r.first + n, side));
        faces.add(side / 2, 1);
      }
    }
  return {smooth.total(comm, h), faces.total(comm, h)};
}

double radius_of(index3 p, double middle) {
  return std::hypot(static_cast<double>(p.y) + 0.5 - middle, static_cast<double>(p.x) + 0.5 - middle);
}

// Oracle: 2 pi R L; the faces of the voxels have 4 / pi of it at any resolution.
TEST(wall_slopes, a_pipe_has_the_area_of_its_circle) {
  for (const int radius : {5, 10, 20}) {
    const std::int64_t n = 2 * radius + 4;
    const ranks_with_a_plane comm(4);
    if (comm == MPI_COMM_NULL) return;
    const image pipe({4, n, n}, [&](index3 p) { return radius_of(p, static_cast<double>(n) / 2) <= radius ? 1 : 0; });
    const auto [smooth, faces] = areas(comm, pipe);
    const double exact = 2 * std::numbers::pi * radius * 4;
    EXPECT_NEAR(smooth / exact, 1, 0.03) << radius;
    EXPECT_NEAR(faces / exact, 4 / std::numbers::pi, 1e-3) << radius;
  }
}

// Oracle: 4 pi R^2, of a ball in the fluid and of a hole that the fluid fills.
TEST(wall_slopes, a_ball_has_the_area_of_its_sphere) {
  const ranks_with_a_plane comm(30);
  if (comm == MPI_COMM_NULL) return;
  const auto is_inside = [](index3 p) {
    double square = 0;
    for (int d = 0; d < 3; ++d) square += std::pow(static_cast<double>(p[d]) - 14.5, 2);
    return square <= 144;
  };
  const double exact = 4 * std::numbers::pi * 144;
  for (const int inside : {0, 1}) {
    const image ball({30, 30, 30}, [&](index3 p) { return is_inside(p) ? inside : 1 - inside; });
    EXPECT_NEAR(areas(comm, ball)[0] / exact, 1, 0.02);
  }
}

// Oracle: flat walls, edges and corners of any kind have the area of their faces, also beside each other.
TEST(wall_slopes, flat_walls_keep_their_area) {
  const ranks_with_a_plane comm(20);
  if (comm == MPI_COMM_NULL) return;
  const image block({20, 19, 18}, [](index3 p) {
    const bool in_block = p.z > 5 && p.z < 12 && p.y > 4 && p.y < 12 && p.x > 6 && p.x < 16;
    const bool in_plate = p.z == 15 && p.y > 2 && p.y < 12;
    return in_block || in_plate || p.x == 1 ? 0 : 1;
  });
  const auto [smooth, faces] = areas(comm, block, {0.1, 0.2, 0.3});
  EXPECT_EQ(smooth, faces);
  EXPECT_GT(faces, 0);
}

// Oracle: planes of three directions, area over that of their shadow; voxels with edges of different lengths.
TEST(wall_slopes, inclined_planes_have_their_area) {
  const std::int64_t n = 24;
  const ranks_with_a_plane comm(n);
  if (comm == MPI_COMM_NULL) return;
  for (const auto& [p, q] : {std::pair{0.5, 0.0}, {1.0, 0.0}, {0.4, 0.7}, {-0.25, 0.6}}) {
    const vector3 h{0.5, 1, 1};
    const image half({n, n, n}, [&, p = p, q = q](index3 v) {
      const double height = p * static_cast<double>(v.y - n / 2) + q * static_cast<double>(v.x - n / 2);
      return h.z * static_cast<double>(v.z - n / 2) < height * 0.4 + 0.05 ? 1 : 0;
    });
    const double exact = n * n * std::sqrt(1 + 0.16 * (p * p + q * q));
    EXPECT_NEAR(areas(comm, half, h)[0] / exact, 1, 0.03) << p << ' ' << q;
  }
}

}  // namespace wall_slopes_test
