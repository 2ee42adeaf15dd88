#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/dispersion/dispersion.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <osteon/physics/heat/solver/heat_tensor.hpp>
#include <random>

#include "physics/flow_images.hpp"

namespace flow_dispersion_test {

using namespace osteon;
using namespace flow_images;

const numerics::options exact{1e-9, 500, nullptr};

struct carried {
  physics::dispersion_solution dispersion;
  physics::flow_solution flow;
};

carried solve_carried(MPI_Comm comm, const image& img, axis along, std::vector<double> peclet, double length,
                      vector3 spacing = {1, 1, 1}, double flow_tolerance = 1e-9, bool is_mirrored = false) {
  const auto around = is_mirrored ? physics::flow_surroundings::mirrored : physics::flow_surroundings::periodic;
  const auto flow = make_problem(comm, img, {along}, around, spacing);
  physics::flow_options how{flow_tolerance, flow_tolerance, 300, false};
  how.carry = physics::keep_mass;
  carried result;
  result.flow = physics::solve_permeability(flow, how, null_log());
  physics::dispersion_problem problem;
  problem.where = flow.where;
  problem.spacing_mm = spacing;
  problem.cells = flow.cells;
  problem.along = along;
  problem.is_mirrored = is_mirrored;
  problem.face_velocity_mm_per_s = result.flow.directions[0].face_velocity_mm_per_s;
  problem.peclet_numbers = std::move(peclet);
  problem.length_mm = length;
  result.dispersion = physics::solve_dispersion(problem, exact, null_log());
  for (const auto& t : result.dispersion.tensors) {
    EXPECT_TRUE(t.certificate.converged);
    EXPECT_LT(t.certificate.energy_identity_error, 1e-6);
  }
  return result;
}

// Taylor dispersion of a slit of g voxels on this grid. The velocity is u_i = y (g - y) / 2 + 1 / 8 with y = i + 1 / 2, as
// in the flow solver. In the chain of voxels, b_i+1 - b_i is the sum of u - mean(u) over the voxels below. @return (D / D_0
// - 1) / Pe^2, with Pe based on the width
double taylor_on_grid(std::int64_t g) {
  std::vector<double> u;
  double mean = 0;
  for (std::int64_t i = 0; i < g; ++i) {
    const double y = static_cast<double>(i) + 0.5;
    u.push_back(y * (static_cast<double>(g) - y) / 2 + 0.125);
    mean += u.back() / static_cast<double>(g);
  }
  double slope = 0, sum = 0;  // the mean square of the gradient of b
  for (std::int64_t i = 0; i + 1 < g; ++i) {
    slope += u[static_cast<std::size_t>(i)] - mean;
    sum += slope * slope;
  }
  return sum / static_cast<double>(g) / (mean * mean * static_cast<double>(g * g));
}

// Oracle: Taylor and Aris, D (1 + Pe^2 / 210) in a slit. On few voxels, the oracle is the sum of the chain, to rounding.
// Across the slit, the ratio is 1.
TEST(flow_dispersion, of_a_slit_is_taylors_and_aris) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  EXPECT_NEAR(taylor_on_grid(200) * 210, 1, 1e-3);
  const double coarse = taylor_on_grid(8) * 210 - 1, fine = taylor_on_grid(16) * 210 - 1;
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  for (const auto& [along, across] : {std::pair{axis::z, axis::y}, {axis::y, axis::x}, {axis::x, axis::z}}) {
    constexpr std::int64_t g = 8;
    index3 shape{4, 4, 4};
    shape[static_cast<int>(across)] = g + 1;
    const image img(shape, [&](index3 p) { return p[static_cast<int>(across)] != 3; });
    const auto found = solve_carried(comm, img, along, {0, 1, 60}, 0.25 * g, {0.25, 0.25, 0.25});
    for (const auto& t : found.dispersion.tensors)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double pe = t.peclet_number;
          const double right = i != j                          ? 0
                               : i == static_cast<int>(along)  ? 1 + pe * pe * taylor_on_grid(g)
                               : i == static_cast<int>(across) ? 0
                                                               : 1;
          EXPECT_NEAR(t.over_diffusivity[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], right,
                      1e-6 * (1 + pe * pe / 210));
        }
    EXPECT_EQ(found.dispersion.cells, 16 * g);
  }
}

image pores() {
  std::mt19937 random(3);
  return {{9, 8, 10}, [&](index3 p) {
            const bool solid = static_cast<double>(random()) < 0.35 * 4294967296.0;
            return p.x % 5 == 0 || p.y % 4 == 0 || p.z % 4 == 0 || !solid ? (p.x % 5 == 2 && p.y % 4 == 2 ? 0 : 1) : 0;
          }};
}

// Oracle: the effective conductivity of the same fluid by the heat solver.
TEST(flow_dispersion, at_peclet_number_0_agrees_with_the_heat_solver) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  const image img = pores();
  const vector3 spacing{0.5, 0.4, 0.6};
  const auto found = solve_carried(comm, img, axis::z, {0}, 1, spacing);
  ASSERT_EQ(found.flow.counts.flowing, found.flow.counts.fluid);
  const auto table = heat_images::conductivities({1});
  const auto heat = physics::effective_conductivity(heat_images::make_problem(comm, img, table, spacing, axis::z),
                                                    physics::surroundings::periodic, {1e-10, 500, nullptr}, null_log());
  const double porosity = found.flow.counts.porosity();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(porosity * found.dispersion.tensors[0].over_diffusivity[i][j], heat.conductivity_W_per_mK[i][j], 1e-6);
}

// Oracle: the sample and its mirror images in all directions, repeated periodically. There are pores with and without
// contact to the sides. Parts that lead through the sample only along another axis do not count.
TEST(flow_dispersion, of_a_mirrored_sample_is_that_of_the_sample_and_its_images) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  std::mt19937 random(8);
  const image open({5, 6, 4}, [&](index3 p) {
    const bool solid = static_cast<double>(random()) < 0.3 * 4294967296.0;
    return p.y == 2 || p.x == 1 || p.z == 3 || !solid ? 1 : 0;
  });
  const image inner({5, 6, 7}, [](index3 p) {
    if (p.z == 2 && p.y == 0) return 1;  // this pore leads through along x and is disconnected from the rest
    return p.y > 1 && p.y < 5 && p.x > 0 && p.x < 6 && (p.z + p.y * p.x) % 7 != 0 ? 1 : 0;
  });
  const vector3 spacing{0.5, 0.4, 0.6};
  for (const image* img : {&open, &inner})
    for (const axis along : {axis::z, axis::y, axis::x}) {
      if (img == &inner && along != axis::z) continue;
      index3 shape = img->shape;
      for (int a = 0; a < 3; ++a) shape[a] *= 2;
      const image eight(shape, [&](index3 p) {
        for (int a = 0; a < 3; ++a) p[a] = std::min(p[a], 2 * img->shape[a] - 1 - p[a]);
        return img->at(p);
      });
      const auto own = solve_carried(comm, *img, along, {0, 2, 20}, 1, spacing, 1e-9, true);
      if (img == &inner) {  // the images of this pore are disconnected, so that there is no flux between them
        EXPECT_GT(own.dispersion.tensors[2].over_diffusivity[0][0], own.dispersion.tensors[0].over_diffusivity[0][0]);
        EXPECT_EQ(own.dispersion.tensors[2].over_diffusivity[0][1], 0);
        EXPECT_NEAR(own.dispersion.tensors[2].over_diffusivity[1][1], 0, 1e-6);
        continue;
      }
      const auto all = solve_carried(comm, eight, along, {0, 2, 20}, 1, spacing);
      EXPECT_NEAR(own.dispersion.mean_velocity_mm_per_s, 2 * all.dispersion.mean_velocity_mm_per_s,
                  1e-7 * own.dispersion.mean_velocity_mm_per_s);  // the pressure drop is unchanged over twice the length
      EXPECT_EQ(8 * own.flow.counts.flowing, all.dispersion.cells);
      EXPECT_EQ(2 * own.flow.counts.flowing, own.dispersion.cells);
      for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j)
            EXPECT_NEAR(own.dispersion.tensors[n].over_diffusivity[i][j], all.dispersion.tensors[n].over_diffusivity[i][j],
                        2e-6 * all.dispersion.tensors[n].over_diffusivity[i][i])
                << n << i << j;
    }
}

// Oracle: one rank and three threads. Invariants: dispersion along the flow grows with the Peclet number and is never below
// diffusion. The velocities conserve mass, although the flow is solved only to a hundredth.
TEST(flow_dispersion, is_the_same_on_any_number_of_ranks) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  const image img = pores();
  const vector3 spacing{0.5, 0.4, 0.6};
  const auto found = solve_carried(comm, img, axis::x, {0, 1, 4}, 1, spacing);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  const auto alone = solve_carried(MPI_COMM_SELF, img, axis::x, {0, 1, 4}, 1, spacing);
  omp_set_num_threads(threads);
  double before = 0;
  for (std::size_t n = 0; n < 3; ++n) {
    const auto &own = found.dispersion.tensors[n], &other = alone.dispersion.tensors[n];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(own.over_diffusivity[i][j], other.over_diffusivity[i][j], 1e-6 * other.over_diffusivity[2][2]);
    EXPECT_GT(own.over_diffusivity[2][2], before);
    before = own.over_diffusivity[2][2];
    EXPECT_GE(own.over_diffusivity[0][0], found.dispersion.tensors[0].over_diffusivity[0][0] * (1 - 1e-6));
  }
  EXPECT_NEAR(found.dispersion.mean_velocity_mm_per_s, found.flow.directions[0].mean_velocity_mm_per_s,
              1e-6 * found.flow.directions[0].mean_velocity_mm_per_s);
  const auto poor = solve_carried(comm, img, axis::x, {4}, 1, spacing, 0.01);
  EXPECT_NEAR(poor.dispersion.tensors[0].over_diffusivity[2][2], before, 0.02 * before);
}

// Oracle: two forms of one number, which solve_carried compares. The Peclet numbers of a voxel are in the hundreds, for
// which central convection oscillates. A faster flow has a larger dispersion. A cycle for the upwind operator alone does not
// converge to this result.
TEST(flow_dispersion, settles_where_a_voxel_has_a_peclet_number_of_hundreds) {
  const ranks_with_a_plane comm(18);
  if (comm == MPI_COMM_NULL) return;
  constexpr std::int64_t n = 18;
  const std::array<index3, 5> centres{{{3, 4, 5}, {12, 2, 14}, {7, 13, 9}, {15, 11, 2}, {1, 9, 15}}};
  const image spheres({n, n, n}, [&](index3 p) {
    for (const index3& c : centres) {
      std::int64_t square = 0;
      for (int a = 0; a < 3; ++a) {
        const std::int64_t away = std::abs(p[a] - c[a]), nearest = std::min(away, n - away);
        square += nearest * nearest;
      }
      if (square < 25) return 0;
    }
    return 1;
  });
  const auto found = solve_carried(comm, spheres, axis::z, {10, 1000}, 6);
  const auto &slow = found.dispersion.tensors[0], &fast = found.dispersion.tensors[1];
  EXPECT_GT(fast.cell_peclet_number, 200);
  EXPECT_GT(fast.over_diffusivity[0][0], 10 * slow.over_diffusivity[0][0]);
  EXPECT_LT(fast.certificate.iterations, 1200);
}

// Oracle: the text of the messages.
TEST(flow_dispersion, rejects_jobs_without_dispersion) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const image two({4, 9, 4}, [](index3 p) { return p.y != 3 && p.y != 8; });
  try {
    solve_carried(comm, two, axis::z, {1}, 1);
    ADD_FAILURE();
  } catch (const data_error& e) {
    EXPECT_NE(std::string(e.what()).find("2 separate parts of the fluid flow"), std::string::npos);
  }
  const image one({4, 9, 4}, [](index3 p) { return p.y != 3; });
  try {
    solve_carried(comm, one, axis::z, {-1}, 1);
    ADD_FAILURE();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("must not be negative"), std::string::npos);
  }
}

}  // namespace flow_dispersion_test
