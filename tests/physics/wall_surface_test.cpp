#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <osteon/physics/flow/solver/stokes/wall_surface.hpp>

#include "physics/heat_images.hpp"

namespace wall_surface_test {

using namespace heat_images;

constexpr std::array<std::array<int, 3>, 6> steps{{{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};

// The surface of an image in which the value 1 is fluid. The surface consists of faces towards the value 0. Faces of the
// image are not walls.
struct walls_of {
  walls_of(MPI_Comm comm, const image& img, vector3 h = {1, 1, 1})
      : table(conductivities({1})), problem(make_problem(comm, img, table, h, axis::z)) {
    for (const voxel::run& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p = problem.where.owned.begin + index3{r.z, r.y, r.x + n};
        unsigned own = 0;
        for (std::size_t d = 0; d < 6; ++d) {
          const index3 q = p + index3{steps[d][0], steps[d][1], steps[d][2]};
          if (box3{{}, img.shape}.contains(q) && img.at(q) == 0) own |= 1U << d;
        }
        sides.push_back(static_cast<std::uint8_t>(own));
        places.push_back(p);
      }
  }
  physics::wall_surface surface() const { return {problem.where, problem.cells, sides, problem.spacing_mm}; }
  // Calls visit(voxel, side, face) for the owned faces.
  template <class Visit>
  void for_each(const physics::wall_surface& surface, const Visit& visit) const {
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (std::size_t d = 0; d < 6; ++d)
        if ((sides[i] >> d & 1) != 0) visit(places[i], d, surface.find(static_cast<std::int32_t>(i), d));
  }
  double faces_mm2(MPI_Comm comm) const {
    const vector3 h = problem.spacing_mm;
    double sum = 0;
    for (const std::uint8_t own : sides)
      for (int d = 0; d < 6; ++d) sum += (own >> d & 1) * h.z * h.y * h.x / h[d / 2];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
  }

  voxel::material_table table;
  numerics::heat_problem problem;
  std::vector<std::uint8_t> sides;
  std::vector<index3> places;
};

image pipe(std::int64_t radius) {
  const std::int64_t n = 2 * radius + 4;
  const auto square = [n](std::int64_t v) { return std::pow(static_cast<double>(v) + 0.5 - static_cast<double>(n) / 2, 2); };
  return {{4, n, n}, [&](index3 p) { return square(p.y) + square(p.x) <= static_cast<double>(radius * radius) ? 1 : 0; }};
}

// Oracle: 2 pi R L. The faces of the voxels have 4 / pi of this area at any resolution.
TEST(wall_surface, a_pipe_has_the_area_of_its_circle) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  for (const int radius : {5, 10, 20}) {
    const walls_of walls(comm, pipe(radius));
    const double exact = 2 * std::numbers::pi * radius * 4;
    EXPECT_NEAR(walls.surface().total_area_mm2() / exact, 1, 0.01) << radius;
    EXPECT_NEAR(walls.faces_mm2(comm) / exact, 4 / std::numbers::pi, 1e-3) << radius;
  }
}

// Oracle: 4 pi R^2, for a ball in the fluid and for a hole filled with fluid. The normals are radial.
TEST(wall_surface, a_ball_has_the_area_and_the_normals_of_its_sphere) {
  const ranks_with_a_plane comm(30);
  if (comm == MPI_COMM_NULL) return;
  const auto from_middle = [](std::int64_t v) { return static_cast<double>(v) - 14.5; };
  const auto is_inside = [&](index3 p) {
    return std::pow(from_middle(p.z), 2) + std::pow(from_middle(p.y), 2) + std::pow(from_middle(p.x), 2) <= 144;
  };
  for (const int inside : {0, 1}) {
    const walls_of walls(comm, image({30, 30, 30}, [&](index3 p) { return is_inside(p) ? inside : 1 - inside; }));
    const physics::wall_surface surface = walls.surface();
    EXPECT_NEAR(surface.total_area_mm2() / (4 * std::numbers::pi * 144), 1, 0.01);
    walls.for_each(surface, [&](index3 p, std::size_t, std::int32_t face) {
      const auto& n = surface.normal(face);
      const std::array<double, 3> r{from_middle(p.z), from_middle(p.y), from_middle(p.x)};
      double along = 0;
      for (std::size_t a = 0; a < 3; ++a) along += static_cast<double>(n[a]) * r[a];
      EXPECT_GT((inside == 1 ? 1 : -1) * along / std::hypot(r[0], r[1], r[2]), std::cos(0.2));
      EXPECT_EQ(surface.roughness(face), 1);
    });
  }
}

// Oracle: flat walls, and edges and corners of any kind, have exactly the area of their faces. The test uses a block, a
// plate, adjacent walls, steps of three voxels, and ducts of one and two voxels.
TEST(wall_surface, flat_walls_keep_their_area) {
  const ranks_with_a_plane comm(20);
  if (comm == MPI_COMM_NULL) return;
  const image block({20, 19, 18}, [](index3 p) {
    const bool in_block = p.z > 5 && p.z < 12 && p.y > 4 && p.y < 12 && p.x > 6 && p.x < 16;
    const bool in_plate = p.z == 15 && p.y > 2 && p.y < 12;
    return in_block || in_plate || p.x == 1 || (p.x < 5 && p.y > 13) ? 0 : 1;
  });
  const image ducts({20, 8, 9}, [](index3 p) { return (p.y == 1 && p.x == 1) || (p.y / 2 == 2 && p.x / 2 == 2) ? 1 : 0; });
  for (const image* const img : {&block, &ducts}) {
    const walls_of walls(comm, *img, {0.125, 0.25, 0.5});
    const physics::wall_surface surface = walls.surface();
    EXPECT_DOUBLE_EQ(surface.total_area_mm2(), walls.faces_mm2(comm));
    walls.for_each(surface, [&](index3, std::size_t side, std::int32_t face) {
      EXPECT_EQ(std::abs(surface.normal(face)[side / 2]), 1);
      EXPECT_EQ(surface.roughness(face), 0);
    });
  }
}

// Oracle: planes of several directions. Their area is relative to the area of their projection, away from the faces of the
// image. The voxels have edges of different lengths.
TEST(wall_surface, inclined_planes_have_their_area) {
  constexpr std::int64_t n = 40, margin = 10;
  const ranks_with_a_plane comm(n);
  if (comm == MPI_COMM_NULL) return;
  for (const auto& [p, q] : {std::pair{0.5, 0.0}, {1.0, 0.0}, {0.4, 0.7}, {-0.25, 0.6}, {0.1, 0.05}, {1.0, 1.0}}) {
    const vector3 h{0.5, 1, 1};
    const walls_of walls(comm,
                         image({n, n, n},
                               [&, p = p, q = q](index3 v) {
                                 const double z = static_cast<double>(v.z - n / 2) + 0.45;
                                 const double y = static_cast<double>(v.y - n / 2) + 0.5;
                                 const double x = static_cast<double>(v.x - n / 2) + 0.5;
                                 return z < p * y + q * x ? 1 : 0;
                               }),
                         h);
    const physics::wall_surface surface = walls.surface();
    double sum = 0;
    const auto is_inner = [](std::int64_t v) { return v >= margin && v < n - margin; };
    walls.for_each(surface, [&](index3 v, std::size_t, std::int32_t face) {
      if (is_inner(v.y) && is_inner(v.x)) sum += surface.area_mm2(face);
    });
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    const double shadow = static_cast<double>((n - 2 * margin) * (n - 2 * margin));
    EXPECT_NEAR(sum / (shadow * std::sqrt(1 + 0.25 * (p * p + q * q))), 1, 0.01) << p << ' ' << q;
  }
}

// Oracle: the sum, a constant, and the surface of one rank. The results must be bitwise equal.
TEST(wall_surface, averages_keep_sums_and_are_those_of_one_rank) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  const image blobs({9, 14, 15}, [](index3 p) {
    const auto wave = [](std::int64_t v, double k) { return std::sin(k * static_cast<double>(v)); };
    return wave(p.z, 0.7) + wave(p.y, 0.5) + wave(p.x, 0.6) > 0.3 ? 0 : 1;
  });
  const walls_of walls(comm, blobs), alone(MPI_COMM_SELF, blobs);
  const physics::wall_surface surface = walls.surface(), whole = alone.surface();
  EXPECT_EQ(surface.total_area_mm2(), whole.total_area_mm2());
  const auto value = [](index3 p, std::size_t side) {
    return std::cos(static_cast<double>(31 * p.z + 17 * p.y + 5 * p.x + static_cast<std::int64_t>(side)));
  };
  physics::wall_surface::values own(surface.size()), all(whole.size());
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::size_t>, std::int32_t> number;
  double before = 0, after = 0;
  alone.for_each(whole, [&](index3 p, std::size_t side, std::int32_t face) {
    number[{p.z, p.y, p.x, side}] = face;
    all[static_cast<std::size_t>(face)] = {value(p, side), 1, 0, 0};
    before += value(p, side);
  });
  walls.for_each(surface, [&](index3 p, std::size_t side, std::int32_t face) {
    own[static_cast<std::size_t>(face)] = {value(p, side), 1, 0, 0};
  });
  surface.smooth(own);
  whole.smooth(all);
  for (const auto& v : all) after += v[0];
  EXPECT_NEAR(after, before, 1e-10);
  walls.for_each(surface, [&](index3 p, std::size_t side, std::int32_t face) {
    const auto other = static_cast<std::size_t>(number.at({p.z, p.y, p.x, side}));
    EXPECT_EQ(own[static_cast<std::size_t>(face)][0], all[other][0]);
    EXPECT_NEAR(own[static_cast<std::size_t>(face)][1], 1, 1e-12);
    EXPECT_EQ(surface.normal(face), whole.normal(static_cast<std::int32_t>(other)));
    EXPECT_EQ(surface.roughness(face), whole.roughness(static_cast<std::int32_t>(other)));
  });
}

}  // namespace wall_surface_test
