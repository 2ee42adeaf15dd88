#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <osteon/kernel/elasticity/element_stiffness.hpp>
#include <osteon/physics/elasticity/solver/strain_stress.hpp>

#include "elastic_model.hpp"
#include "random_solid.hpp"

namespace strain_stress_test {

using namespace osteon;

constexpr index3 shape{9, 8, 11};
constexpr vector3 spacing{0.03, 0.5, 0.17};

// Displacements A x + b. A and b refer to the axes x, y, z.
std::vector<double> affine(const numerics::elasticity_problem& p, const Eigen::Matrix3d& a, const Eigen::Vector3d& b) {
  std::vector<double> u(3 * static_cast<std::size_t>(p.nodes.size()));
  random_solid::for_each_node(p, [&](std::int32_t node, index3 at) {
    const Eigen::Vector3d x(static_cast<double>(at.x) * spacing.x, static_cast<double>(at.y) * spacing.y,
                            static_cast<double>(at.z) * spacing.z);
    const Eigen::Vector3d moved = a * x + b;
    for (int c = 0; c < 3; ++c) u[static_cast<std::size_t>(3 * node + 2 - c)] = moved[c];
  });
  return u;
}

Eigen::Matrix3d gradient() {
  Eigen::Matrix3d a;
  a << 0.004, -0.01, 0.002, 0.003, -0.007, 0.02, 0.05, 0.001, 0.0003;
  return a;
}

// Oracle: exact solution. An affine displacement has one strain everywhere, for any added translation and rotation.
TEST(strain, of_an_affine_displacement_is_uniform) {
  const auto p = random_solid::make(shape, spacing, 0.6);
  const Eigen::Matrix3d a = gradient(), e = (a + a.transpose()) / 2;
  const double expected[6] = {e(0, 0), e(1, 1), e(2, 2), 2 * e(0, 1), 2 * e(1, 2), 2 * e(0, 2)};
  constexpr double half_a_float = 1.0 / (1 << 24);
  for (const double shift : {0.0, 1000.0}) {
    const double rounding = 4 * std::max(shift, 1.0) * 2.2e-16 / spacing.z;  // rounding of the displacements themselves
    const std::vector<float> found = physics::strain(p, affine(p, a, {shift, -shift, shift}));
    ASSERT_EQ(found.size(), 6 * static_cast<std::size_t>(p.cells.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i % 6], half_a_float * std::abs(expected[i % 6]) + rounding) << i % 6;
  }
}

// Oracle: Hooke's law, and the solver of Eigen at a uniform strain.
TEST(stress, of_an_affine_displacement_follows_hookes_law) {
  const auto p = random_solid::make(shape, spacing, 0.6);
  const Eigen::Matrix3d a = gradient(), e = (a + a.transpose()) / 2;
  const std::vector<double> u = affine(p, a, {0, 0, 0});
  const std::vector<float> stress = physics::stress(p, u), von_mises = physics::von_mises_stress(p, u);
  std::vector<float> principal[3], stretch[3], direction[3];
  for (int n = 0; n < 3; ++n) {
    const auto i = static_cast<std::size_t>(n);
    principal[i] = physics::principal_stress(p, u, n);
    stretch[i] = physics::principal_strain(p, u, n);
    direction[i] = physics::principal_direction(p, u, n);
  }
  const Eigen::Vector3d stretches = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(e).eigenvalues();
  for (std::size_t cell = 0; cell < p.material.size(); ++cell) {
    const voxel::material& m = random_solid::materials[p.material[cell]];
    const kernel::lame lame = kernel::lame_of(m.youngs_modulus_MPa, m.poisson_ratio);
    const Eigen::Matrix3d s = lame.lambda * e.trace() * Eigen::Matrix3d::Identity() + 2 * lame.mu * e;
    const double near = 1e-6 * s.norm();
    const double expected[6] = {s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(0, 2)};
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(stress[6 * cell + c], expected[c], near);
    const Eigen::Matrix3d deviator = s - s.trace() / 3 * Eigen::Matrix3d::Identity();
    EXPECT_NEAR(von_mises[cell], std::sqrt(1.5) * deviator.norm(), near);
    const Eigen::Vector3d values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(s).eigenvalues();
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_NEAR(principal[n][cell], values[2 - static_cast<int>(n)], near);
      EXPECT_NEAR(stretch[n][cell], stretches[2 - static_cast<int>(n)], 1e-8);
      const Eigen::Vector3d d(direction[n][3 * cell], direction[n][3 * cell + 1], direction[n][3 * cell + 2]);
      EXPECT_NEAR(d.norm(), 1, 1e-6);
      EXPECT_LE((s * d - values[2 - static_cast<int>(n)] * d).norm(), 4 * near);
    }
  }
}

// Displacements without any symmetry.
std::vector<double> uneven(const numerics::elasticity_problem& p) {
  std::vector<double> u(3 * static_cast<std::size_t>(p.nodes.size()));
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = 0.01 * std::sin(static_cast<double>(7 * i % 101));
  return u;
}

// Oracle: half the product of the stresses and the strains of this solution, voxel by voxel.
TEST(strain_energy_density, is_half_of_stress_times_strain) {
  const auto p = random_solid::make(shape, spacing, 0.6);
  const std::vector<double> u = uneven(p);
  const std::vector<float> strain = physics::strain(p, u), stress = physics::stress(p, u),
                           density = physics::strain_energy_density(p, u), whole = physics::integrated_energy_density(p, u);
  ASSERT_EQ(density.size(), p.material.size());
  for (std::size_t cell = 0; cell < density.size(); ++cell) {
    double product = 0;
    for (std::size_t i = 6 * cell; i < 6 * cell + 6; ++i)
      product += static_cast<double>(strain[i]) * static_cast<double>(stress[i]);
    EXPECT_NEAR(density[cell] / (product / 2), 1, 1e-5);
    EXPECT_GE(whole[cell], density[cell] * (1 - 1e-6F));  // bending adds to the energy and has zero strain at the centre
  }
}

// Oracle: computed by hand. A unit cube has u_x = g y + c x y about its centre. Its shear at the centre is g. In the whole
// cube, its strains are c y along x and g + c x. The energy density is mu g^2 / 2 at the centre, and mu g^2 / 2 + c^2
// (lambda + 3 mu) / 24 in the mean.
TEST(strain_energy_density, of_a_sheared_and_bent_voxel) {
  const elastic_model::model m = elastic_model::solid({1, 1, 1});
  const auto p = elastic_model::make_problem(m, [](index3, const elastic_model::axis_value&) {}, MPI_COMM_SELF);
  const double g = 0.01, c = 0.03;
  std::vector<double> u(24);
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const double y = (corner & 2 ? 0.5 : -0.5), x = (corner & 1 ? 0.5 : -0.5);
    u[3 * corner + 2] = g * y + c * x * y;
  }
  const double lambda = 0.3 / (1.3 * 0.4), mu = 1 / 2.6;  // for E = 1 and nu = 0.3
  EXPECT_NEAR(physics::strain_energy_density(p, u)[0] / (mu * g * g / 2), 1, 1e-6);
  EXPECT_NEAR(physics::integrated_energy_density(p, u)[0] / (mu * g * g / 2 + c * c * (lambda + 3 * mu) / 24), 1, 1e-6);
}

// Invariant: the divergence theorem. The stress summed over the volume is the sum of force times position over all nodes,
// for any displacements. The reason is that the stress at the centre is the mean stress of a voxel.
TEST(stress, summed_over_the_volume_is_the_moment_of_the_nodal_forces) {
  auto p = random_solid::make(shape, spacing, 0.8);
  random_solid::for_each_node(p, [&](std::int32_t node, index3 at) {
    if (at.z != 0 && at.z != shape.z) return;
    for (int c = 0; c < 3; ++c)
      p.fixed.push_back({node, static_cast<axis>(c), 0.01 * std::sin(static_cast<double>(3 * at.x + 5 * at.y + at.z + c))});
  });
  const auto solution = physics::solve_elasticity(p, {1e-3, 500}, null_log());
  const std::vector<float> stress = physics::stress(p, solution.displacement_mm);
  double total[6] = {}, moment[9] = {};
  const double volume = spacing.z * spacing.y * spacing.x;
  for (std::size_t i = 0; i < stress.size(); ++i) total[i % 6] += volume * stress[i];
  random_solid::for_each_node(p, [&](std::int32_t node, index3 at) {
    if (std::binary_search(solution.copies.begin(), solution.copies.end(), node)) return;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        moment[3 * i + j] += solution.reaction_N[static_cast<std::size_t>(3 * node + 2 - i)] *
                             static_cast<double>(at[2 - j]) * spacing[2 - j];
  });
  MPI_Allreduce(MPI_IN_PLACE, total, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, moment, 9, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const int voigt_of[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  double scale = 0;
  for (double t : total) scale = std::max(scale, std::abs(t));
  EXPECT_GT(scale, 1e-6);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(moment[i], total[voigt_of[i]], 1e-6 * scale) << i;
}

}  // namespace strain_stress_test
