#include <gtest/gtest.h>

#include <cmath>
#include <osteon/numerics/multigrid/heat_multigrid.hpp>
#include <osteon/physics/heat/solver/heat_parts.hpp>
#include <osteon/physics/heat/solver/heat_tensor.hpp>
#include <osteon/physics/heat/solver/heat_transient.hpp>

#include "grid/sample_bricks.hpp"
#include "physics/heat_images.hpp"

namespace heat_bricks_test {

using namespace heat_images;

// The same problem with 3-D bricks instead of planes. Each rank of MPI_COMM_WORLD has one brick.
numerics::heat_problem in_bricks(const image& img, const voxel::material_table& table, vector3 spacing, axis along) {
  numerics::heat_problem problem = make_problem(MPI_COMM_SELF, img, table, spacing, along);
  problem.where = grid::make_block(MPI_COMM_WORLD, sample::bricks(img.shape, img.voxels));
  const box3 own = problem.where.owned;
  std::vector<material_number> voxels;
  for (std::int64_t z = own.begin.z; z < own.end.z; ++z)
    for (std::int64_t y = own.begin.y; y < own.end.y; ++y)
      for (std::int64_t x = own.begin.x; x < own.end.x; ++x) voxels.push_back(img.at({z, y, x}));
  const view3<const material_number> mine(voxels.data(), own.shape());
  problem.cells = voxel::active_cells(mine);
  problem.material = voxel::gather(problem.cells, mine);
  return problem;
}

// The largest difference between the values of the cells of this rank and the values of the whole image.
template <class T>
double largest_difference(const numerics::heat_problem& part, const std::vector<T>& values,
                          const numerics::heat_problem& whole, const std::vector<T>& reference) {
  double largest = 0;
  const index3 begin = part.where.owned.begin;
  for (const voxel::run& r : part.cells.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      const auto i = whole.cells.find(begin.z + r.z, begin.y + r.y, begin.x + r.x + n);
      largest = std::max(largest, std::abs(static_cast<double>(values[static_cast<std::size_t>(r.first + n)]) -
                                           static_cast<double>(reference[static_cast<std::size_t>(i)])));
    }
  return largest;
}

// Oracle: the same problem on one rank. The flux is compared at the default tolerance, and the fields at a tight tolerance.
TEST(heat_bricks, conduct_as_one_rank_does) {
  const image img = random_porous({14, 15, 17}, 7, 2);
  const auto table = conductivities({1, 40});
  for (const axis along : {axis::y, axis::x}) {
    const auto a = static_cast<std::size_t>(along);
    const auto whole = make_problem(MPI_COMM_SELF, img, table, {1, 0.8, 1.2}, along);
    const auto part = in_bricks(img, table, {1, 0.8, 1.2}, along);
    const auto alone = physics::solve_heat(whole, {1e-6, 100}, null_log()),
               joint = physics::solve_heat(part, {1e-6, 100}, null_log());
    EXPECT_TRUE(joint.certificate.converged);
    EXPECT_LE(joint.certificate.true_relative_residual, 1e-6);
    EXPECT_LE(joint.certificate.iterations, alone.certificate.iterations + 8);
    EXPECT_EQ(joint.certificate.unknowns, alone.certificate.unknowns);
    EXPECT_NEAR(joint.inflow_W[a][0] / alone.inflow_W[a][0], 1, 1e-8);
    if (along != axis::y) continue;
    const auto exact = physics::solve_heat(whole, tight, null_log()),
               exact_joint = physics::solve_heat(part, tight, null_log());
    EXPECT_LT(largest_difference(part, exact_joint.temperature_K, whole, exact.temperature_K), 1e-8);
    EXPECT_LT(largest_difference(part, physics::heat_flux_density(part, exact_joint.temperature_K), whole,
                                 physics::heat_flux_density(whole, exact.temperature_K)),
              1e-8);
  }
}

// Oracle: the same problem on one rank. The periods are odd, and a checkerboard of cells does not fit them.
TEST(heat_bricks, periodic_images_have_the_tensor_of_one_rank) {
  const image img = random_porous({9, 7, 11}, 3, 2);
  const auto table = conductivities({1, 10});
  const auto alone = physics::effective_conductivity(make_problem(MPI_COMM_SELF, img, table, {1, 1, 1}, axis::z),
                                                     physics::surroundings::periodic, {1e-6, 100}, null_log());
  const auto joint = physics::effective_conductivity(in_bricks(img, table, {1, 1, 1}, axis::z),
                                                     physics::surroundings::periodic, {1e-6, 100}, null_log());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(joint.periodic_faces[i].low, alone.periodic_faces[i].low);
    EXPECT_EQ(joint.periodic_faces[i].high, alone.periodic_faces[i].high);
    EXPECT_EQ(joint.periodic_faces[i].both, alone.periodic_faces[i].both);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(joint.conductivity_W_per_mK[i][j], alone.conductivity_W_per_mK[i][j], 1e-8 * alone.principal_W_per_mK[0]);
  }
}

// Oracle: the same problem on one rank. The problem has convection, a flux, sources and a periodic axis, and is compared
// step by step.
TEST(heat_bricks, steps_in_time_are_those_of_one_rank) {
  const image img = random_porous({9, 10, 12}, 5, 2);
  const auto table = conductivities({2, 30});
  const auto conditions = [](numerics::heat_problem problem) {
    problem.faces = {};
    problem.faces[0][0] = {numerics::thermal::convection, 300, 0, 1e-3};
    problem.faces[2][1] = {numerics::thermal::flux, 0, 1e-3, 0};
    problem.faces[2][0] = {numerics::thermal::temperature, 310, 0, 0};
    problem.periodic[1] = true;
    problem.source_W_per_mm3 = {0, 1e-3, 2e-3};
    return problem;
  };
  const physics::time_plan plan{{0, 1e-3, 2e-3}, 290, 4, 1, 0.5, 1};
  const auto whole = conditions(make_problem(MPI_COMM_SELF, img, table, {1, 1, 1}, axis::z)),
             part = conditions(in_bricks(img, table, {1, 1, 1}, axis::z));
  const auto alone = physics::solve_transient(whole, plan, tight, null_log()),
             joint = physics::solve_transient(part, plan, tight, null_log());
  EXPECT_LT(largest_difference(part, joint.temperature_K, whole, alone.temperature_K), 1e-8);
  EXPECT_NEAR(joint.history.back().stored_W / alone.history.back().stored_W, 1, 1e-8);
  EXPECT_LT(joint.certificate.reaction_imbalance, 1e-8);
}

// Oracle: Fourier's law. A box is cut into single voxels for the ranks, so that smoothing acts only across ranks.
TEST(heat_bricks, of_a_few_voxels_conduct_as_the_block_does) {
  const image img({2, 2, 3}, [](index3) { return 1; });
  const auto table = conductivities({0.6});
  const auto solution = physics::solve_heat(in_bricks(img, table, {0.5, 0.1, 0.02}, axis::x), tight, null_log());
  EXPECT_TRUE(solution.certificate.converged);
  EXPECT_NEAR(-solution.inflow_W[2][0] / (0.6e-3 * 2 * 0.5 * 2 * 0.1 / (3 * 0.02)), 1, 1e-10);
}

// Oracle: Fourier's law in each of 400 columns, which a plate without flux connects. On slabs of one plane, the columns
// never meet. Only the gathered level can therefore reduce their number.
TEST(heat_bricks, the_coarsest_level_of_thin_slabs_is_small) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  const image img({7, 40, 40}, [](index3 p) { return p.z == 3 || (p.y % 2 == 0 && p.x % 2 == 0) ? 1 : 0; });
  const auto table = conductivities({1});
  const auto problem = make_problem(comm, img, table, {1, 1, 1}, axis::z);
  const numerics::heat_cells cells = physics::all_cells(problem);
  EXPECT_LE(numerics::heat_multigrid(cells).coarsest_unknowns(), 1500);
  const auto solution = physics::solve_heat(problem, {1e-9, 40}, null_log());
  EXPECT_TRUE(solution.certificate.converged);
  EXPECT_NEAR(solution.inflow_W[0][1], 400 * 1e-3 / 7, 1e-9);
}

}  // namespace heat_bricks_test
