#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/physics/elasticity/solver/homogenise.hpp>
#include <random>

#include "elastic_model.hpp"

namespace homogenise_test {

using namespace osteon;
using namespace osteon::elastic_model;

const support nothing = [](index3, const axis_value&) {};

/// Two phases and pores at random. Every voxel of the outer layer is solid, so that the solid is connected.
model random_solid(index3 shape, vector3 spacing, unsigned seed) {
  model m = solid(shape, spacing);
  std::mt19937 random(seed);
  for (std::int64_t z = 1; z + 1 < shape.z; ++z)
    for (std::int64_t y = 1; y + 1 < shape.y; ++y)
      for (std::int64_t x = 1; x + 1 < shape.x; ++x)
        m.at(z, y, x) = static_cast<material_number>(random() % 5 < 2 ? 0 : 1 + random() % 2);
  return m;
}

constexpr auto kubc = physics::box_faces::kubc, periodic = physics::box_faces::periodic;

physics::homogenised stiffness_of(const model& m, double tolerance, physics::box_faces faces,
                                  MPI_Comm comm = MPI_COMM_WORLD) {
  auto problem = make_problem(m, nothing, comm);
  return physics::homogenise(problem, faces, -0.01, {tolerance, 500}, null_log());
}

// Oracle: Hooke's law. The confined modulus is 1.3461538 E, its coupling 0.5769231 E, and the shear modulus 0.3846154 E, for
// any shape of voxels.
TEST(homogenise, a_solid_block_has_its_material_s_stiffness) {
  for (const auto faces : {kubc, periodic}) {
    const auto found = stiffness_of(solid({7, 5, 6}, {0.5, 0.8, 1.1}), 1e-11, faces);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        const double expected = i == j ? (i < 3 ? 0.7 / 0.52 : 1 / 2.6) : i < 3 && j < 3 ? 0.3 / 0.52 : 0;
        EXPECT_NEAR(found.stiffness_MPa[i][j], expected, 1e-9) << i << " " << j;
      }
    EXPECT_LT(found.asymmetry, 1e-9);
    for (const auto& certificate : found.certificate) EXPECT_TRUE(certificate.converged);
  }
}

// Oracle: Hill and Mandel. Twice the strain energy of each case is its mean stress times its mean strain.
TEST(homogenise, work_of_the_mean_stress_equals_the_energy) {
  const model m = random_solid({8, 9, 7}, {1, 1.2, 0.9}, 5);
  for (const auto faces : {kubc, periodic}) {
    auto problem = make_problem(m, nothing);
    const auto found = physics::homogenise(problem, faces, -0.01, {1e-10, 500}, null_log());
    double energy = 0;  // the mean over the box
    for (const float density : physics::integrated_energy_density(problem, found.shown.displacement_mm)) energy += density;
    MPI_Allreduce(MPI_IN_PLACE, &energy, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    energy /= static_cast<double>(m.shape.volume());
    EXPECT_NEAR(found.stiffness_MPa[2][2] * 1e-4 / (2 * energy), 1, 1e-6);  // densities are stored as float
  }
}

// Invariant: Betti. The matrix is symmetric to the tolerance of the cases.
TEST(homogenise, is_symmetric_as_exactly_as_it_is_solved) {
  const model m = random_solid({8, 9, 7}, {1, 1.2, 0.9}, 6);
  for (const auto faces : {kubc, periodic}) {
    const auto rough = stiffness_of(m, 1e-4, faces), fine = stiffness_of(m, 1e-10, faces);
    EXPECT_LT(rough.asymmetry, 1e-3);
    EXPECT_GT(rough.asymmetry, 1e-9);
    EXPECT_LT(fine.asymmetry, 1e-9);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(rough.stiffness_MPa[i][j], fine.stiffness_MPa[i][j], 1e-3 * fine.stiffness_MPa[i][i]);
  }
}

// Oracle: the same image on one rank, and on one thread.
TEST(homogenise, does_not_depend_on_ranks_and_threads) {
  const model m = random_solid({14, 9, 10}, {1, 1.2, 0.9}, 7);
  for (const auto faces : {kubc, periodic}) {
    const auto found = stiffness_of(m, 1e-9, faces), alone = stiffness_of(m, 1e-9, faces, MPI_COMM_SELF);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_NEAR(found.stiffness_MPa[i][j], alone.stiffness_MPa[i][j], 1e-8 * alone.stiffness_MPa[i][i]);
    if (comm::size(MPI_COMM_WORLD) > 1) continue;  // threads of several ranks would compete for the cores
    const auto after_two_iterations = [&](int threads) {
      omp_set_num_threads(threads);
      auto problem = make_problem(m, nothing);
      return physics::homogenise(problem, faces, 0.01, {1e-9, 2}, null_log()).stiffness_MPa;
    };
    EXPECT_EQ(after_two_iterations(2), after_two_iterations(1));
  }
}

// Oracle: Hooke's law. A sheet with a thickness of one voxel has no interior node, and therefore no unknowns.
TEST(homogenise, a_sheet_has_its_material_s_stiffness) {
  for (const auto faces : {kubc, periodic}) {
    const auto found = stiffness_of(solid({14, 1, 6}, {0.5, 0.8, 1.1}), 1e-9, faces);
    EXPECT_NEAR(found.stiffness_MPa[1][1], 0.7 / 0.52, 1e-9);
    EXPECT_NEAR(found.stiffness_MPa[4][4], 1 / 2.6, 1e-9);
  }
}

// Oracle: the contract.
TEST(homogenise, rejects_problems_without_solution) {
  auto problem = make_problem(solid({8, 4, 4}), nothing);
  EXPECT_THROW(physics::homogenise(problem, kubc, 0, {1e-6, 500}, null_log()), usage_error);
  model inside = solid({14, 4, 4});  // this solid touches no face
  model leaning = inside;            // this solid joins the faces across z, but its faces across y and x never match
  for (std::int64_t z = 0; z < 14; ++z)
    for (std::int64_t y = 0; y < 4; ++y)
      for (std::int64_t x = 0; x < 4; ++x) {
        inside.at(z, y, x) = z > 2 && z < 11 && y % 3 && x % 3;
        leaning.at(z, y, x) = y > 0 && y < 3 && x < 2;
      }
  EXPECT_THROW(stiffness_of(inside, 1e-6, kubc), data_error);
  EXPECT_THROW(stiffness_of(leaning, 1e-6, periodic), data_error);
}

}  // namespace homogenise_test
