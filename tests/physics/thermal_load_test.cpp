#include <osteon/physics/elasticity/solver/thermal_load.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/kernel/elasticity/element_stiffness.hpp>
#include <osteon/physics/elasticity/solver/reactions.hpp>
#include <osteon/physics/elasticity/solver/strain_stress.hpp>
#include <string>
#include <support/message_of.hpp>

#include "elastic_model.hpp"

namespace thermal_load_test {

using namespace osteon;
using namespace osteon::elastic_model;

const support nothing = [](index3, const axis_value&) {};

struct heated {
  physics::elasticity_solution solution;
  std::vector<float> strain, stress, sed, whole;
};

heated solve_heated(const numerics::elasticity_problem& p, std::span<const double> thermal_strain,
                    double tolerance = 1e-11) {
  physics::elasticity_solver solver(p, {tolerance, 500}, null_log());
  heated h;
  h.solution = solver.solve_last({.prescribed_mm = {}, .forces = physics::thermal_forces(p, thermal_strain)});
  EXPECT_TRUE(h.solution.certificate.converged);
  h.strain = physics::strain(p, h.solution.displacement_mm);
  h.stress = physics::stress(p, h.solution.displacement_mm, thermal_strain);
  h.sed = physics::strain_energy_density(p, h.solution.displacement_mm, thermal_strain);
  h.whole = physics::integrated_energy_density(p, h.solution.displacement_mm, thermal_strain);
  return h;
}

double largest(MPI_Comm comm, std::span<const float> values) {
  double most = 0;
  for (const float v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  return most;
}

/// Temperatures that vary from voxel to voxel, and that are equal on any number of ranks.
std::vector<double> uneven(const numerics::elasticity_problem& p) {
  std::vector<double> values;
  for (const voxel::run& r : p.cells.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      values.push_back(300 +
                       20 * std::sin(static_cast<double>(7 * (p.where.owned.begin.z + r.z) + 5 * r.y + 3 * (r.x + i))));
  return values;
}

/// A porous body whose voxels alternate between two materials.
model porous_alloy() {
  model m = porous(12);
  for (std::size_t i = 0; i < m.voxels.size(); ++i)
    if (m.voxels[i] != 0 && i % 3 == 0) m.voxels[i] = 2;
  return m;
}

// Oracle: K_e times the displacement of free expansion, by the plain element stiffness.
TEST(ThermalLoad, ForcesAreThoseOfTheElementStiffness) {
  const model m = porous_alloy();
  const auto p = make_problem(m, nothing);
  const auto strain = physics::thermal_strain(p, uneven(p), std::vector{0.0, 1e-5, 3e-5}, 310);
  std::vector<double> expected(3 * static_cast<std::size_t>(p.nodes.size()));
  for (const voxel::run& r : p.cells.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const auto cell = static_cast<std::size_t>(r.first + i);
      const voxel::material& made_of = m.materials[p.material[cell]];
      const auto k =
          kernel::element_stiffness(p.spacing_mm, kernel::lame_of(made_of.youngs_modulus_MPa, made_of.poisson_ratio));
      for (std::size_t row = 0; row < 24; ++row)
        for (std::size_t a = 0; a < 8; ++a)
          for (std::size_t c = 0; c < 3; ++c)
            if (a & (4U >> c)) {
              const auto corner = row / 3;
              const auto node = p.nodes.find(r.z + static_cast<int>(corner / 4), r.y + static_cast<int>(corner / 2 % 2),
                                             r.x + i + static_cast<int>(corner % 2));
              expected[3 * static_cast<std::size_t>(node) + row % 3] +=
                  k[24 * row + 3 * a + c] * strain[cell] * p.spacing_mm[static_cast<int>(c)];
            }
    }
  for (const numerics::nodal_force& f : physics::thermal_forces(p, strain))
    for (int c = 0; c < 3; ++c) expected[static_cast<std::size_t>(3 * f.node + c)] -= f.force_N[c];
  for (const double left_over : expected) EXPECT_NEAR(left_over, 0, 1e-16);
}

// Oracle: patch test. A free body expands by alpha dT everywhere and is free of stress, for any shape and moduli. A
// statically determinate support has no reaction.
TEST(ThermalLoad, AFreeBodyExpandsWithoutStress) {
  model m = porous_alloy();
  auto p = make_problem(m, nothing);
  p.fixed = physics::determinate_support(p);
  const double expected = 2e-5 * 40;
  const std::vector<double> warm(p.material.size(), 340.0);
  const heated h = solve_heated(p, physics::thermal_strain(p, warm, std::vector{0.0, 2e-5, 2e-5}, 300));
  for (std::size_t i = 0; i < h.strain.size(); ++i) EXPECT_NEAR(h.strain[i], i % 6 < 3 ? expected : 0, 1e-6 * expected);
  EXPECT_LT(largest(p.where.comm, h.stress), 1e-6 * 10 * expected);
  EXPECT_LT(largest(p.where.comm, h.sed), 1e-12 * 10 * expected * expected);
  EXPECT_LT(largest(p.where.comm, h.whole), 1e-12 * 10 * expected * expected);
  for (const double reaction : h.solution.reaction_N) EXPECT_NEAR(reaction, 0, 1e-8 * expected);
  EXPECT_LT(h.solution.certificate.energy_identity_error, 1e-9);
  EXPECT_LT(h.solution.certificate.reaction_imbalance, 1e-9);
}

// Oracle: exactly all rigid motions are prevented, by six displacements. Each node is equal on any number of ranks.
TEST(ThermalLoad, ADeterminateSupportHoldsSixDisplacements) {
  const model m = porous_alloy();
  const auto places = [&](MPI_Comm comm) {
    const auto p = make_problem(m, nothing, comm);
    std::vector<double> found;  // position and direction as one number, which is counted once
    for (const auto& f : physics::determinate_support(p)) {
      const vector3 at = numerics::position_mm(p, f.node);
      found.push_back(1e6 * at.z + 1e3 * at.y + at.x + 1e9 * static_cast<double>(f.direction));
    }
    return found;
  };
  std::vector<double> alone = places(MPI_COMM_SELF);
  std::sort(alone.begin(), alone.end());
  EXPECT_EQ(alone.size(), 6U);
  EXPECT_EQ(std::adjacent_find(alone.begin(), alone.end()), alone.end());
  std::vector<int> seen(alone.size());
  for (const double place : places(MPI_COMM_WORLD)) {
    const auto it = std::find(alone.begin(), alone.end(), place);
    ASSERT_NE(it, alone.end());
    seen[static_cast<std::size_t>(it - alone.begin())] = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, seen.data(), 6, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 6);
}

// Oracle: a body that is fixed on all sides has no strain. Its stress is therefore -E alpha dT / (1 - 2 nu) along all axes.
TEST(ThermalLoad, AClampedBlockIsUnderPressure) {
  const model m = solid({7, 5, 6}, {0.4, 1.0, 0.7});
  const auto p = make_problem(m, [&](index3 n, const axis_value& fix) {
    const bool inside = n.z > 0 && n.z < m.shape.z && n.y > 0 && n.y < m.shape.y && n.x > 0 && n.x < m.shape.x;
    for (int c = 0; c < 3 && !inside; ++c) fix(c, 0.0);
  });
  const std::vector<double> strain(p.material.size(), 1e-3);
  const heated h = solve_heated(p, strain);
  const double expected = -1.0 * 1e-3 / (1 - 2 * 0.3);
  for (std::size_t i = 0; i < h.stress.size(); ++i) EXPECT_NEAR(h.stress[i], i % 6 < 3 ? expected : 0, 2e-7 * -expected);
  for (const float density : h.sed) EXPECT_NEAR(density, 1.5 * -expected * 1e-3, 2e-7 * -expected * 1e-3);
}

// Oracle: a bar between rigid walls cannot extend. If the walls are smooth, the axial stress therefore is -E alpha dT
// everywhere. If the walls are rough, the walls fix the ends of the bar. Without lateral contraction, the mean axial stress
// is also -E alpha dT.
TEST(ThermalLoad, ABarBetweenWallsIsCompressed) {
  for (const bool rough : {true, false}) {
    model m = solid({9, 4, 3}, {0.5, 0.8, 1.1});
    m.materials[1] = {"bar", 200.0, rough ? 0.0 : 0.3};
    const auto p = make_problem(m, [&](index3 n, const axis_value& fix) {
      const bool wall = n.z == 0 || n.z == m.shape.z;
      if (wall) fix(0, 0.0);
      if (rough ? wall : n.y == 0) fix(1, 0.0);
      if (rough ? wall : n.x == 0) fix(2, 0.0);
    });
    const std::vector<double> strain(p.material.size(), 1e-3);
    const heated h = solve_heated(p, strain);
    double axial = 0;
    for (std::size_t i = 0; i < h.stress.size(); ++i) {
      axial += i % 6 == 2 ? static_cast<double>(h.stress[i]) / static_cast<double>(m.shape.volume()) : 0;
      if (!rough) {
        EXPECT_NEAR(h.stress[i], i % 6 == 2 ? -0.2 : 0, 1e-7) << i % 6;
      }
    }
    MPI_Allreduce(MPI_IN_PLACE, &axial, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_NEAR(axial, -0.2, 1e-8);
    std::vector<std::int32_t> wall;
    for (const voxel::run& r : p.nodes.runs())
      for (std::int32_t i = 0; i < r.length; ++i)
        if (p.where.owned.begin.z + r.z == m.shape.z) wall.push_back(r.first + i);
    const vector3 force = physics::resultant(p, h.solution, wall).force_N;
    EXPECT_NEAR(force.z, -0.2 * 4 * 0.8 * 3 * 1.1, 1e-9);
  }
}

// Oracle: a linear temperature bends a free bar without stress. With one temperature per voxel, some stress and energy
// remain. The remaining stress, and the root of the remaining energy, decrease with the voxel size.
TEST(ThermalLoad, ALinearTemperatureLeavesAFreeBarWithoutStress) {
  double energy[3] = {}, stress[3] = {};
  for (int level = 0; level < 3; ++level) {
    const std::int64_t n = std::int64_t{2} << level;
    const double h = 1.0 / static_cast<double>(n);
    const model m = solid({4 * n, n, n}, {h, h, h});
    auto p = make_problem(m, nothing);
    p.fixed = physics::determinate_support(p);
    std::vector<double> strain;
    for (const voxel::run& r : p.cells.runs())
      for (std::int32_t i = 0; i < r.length; ++i) strain.push_back(1e-3 * h * (r.y + 0.5));
    const heated hot = solve_heated(p, strain);
    energy[level] = std::sqrt(largest(p.where.comm, hot.whole));
    stress[level] = largest(p.where.comm, hot.stress);
  }
  EXPECT_NEAR(energy[1] / energy[2], 2, 0.1);
  EXPECT_NEAR(stress[1] / stress[2], 2, 0.1);
}

// Oracle: Timoshenko 1925, J. Opt. Soc. Am. 11, eq. 4. Two layers of equal thickness and modulus bend with the curvature 3/2
// (alpha_2 - alpha_1) dT / thickness.
TEST(ThermalLoad, TwoLayersBendAsTimoshenkoSays) {
  for (int level = 0; level < 3; ++level) {
    const std::int64_t n = std::int64_t{2} << level;
    const double h = 1.0 / static_cast<double>(n);
    model m = solid({12 * n, n, 1}, {h, h, h});
    m.materials = {{}, {"low", 100.0, 0.0}, {"high", 100.0, 0.0}};
    for (std::int64_t z = 0; z < m.shape.z; ++z)
      for (std::int64_t y = n / 2; y < n; ++y) m.at(z, y, 0) = 2;
    const auto p = make_problem(m, [&](index3 at, const axis_value& fix) {
      fix(2, 0.0);  // a plane of nodes
      if (at.y == 0 && at.z == 0) fix(0, 0.0);
      if (at.y == 0 && (at.z == 0 || at.z == m.shape.z)) fix(1, 0.0);
    });
    const std::vector<double> warm(p.material.size(), 1.0);
    const heated hot = solve_heated(p, physics::thermal_strain(p, warm, std::vector{0.0, 1e-3, 2e-3}, 0));
    double deflection[3] = {};  // deflections at 4, 6 and 8 thicknesses
    for (const voxel::run& r : p.nodes.runs())
      for (int k = 0; k < 3; ++k)
        if (r.y == 0 && p.where.owned.begin.z + r.z == (4 + 2 * k) * n)
          deflection[k] = hot.solution.displacement_mm[static_cast<std::size_t>(3 * r.first + 1)];
    for (double& d : deflection) {  // the copies of a node on two ranks are equal; the value is 0 for a missing node
      double low = std::min(d, 0.0), high = std::max(d, 0.0);
      MPI_Allreduce(MPI_IN_PLACE, &low, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
      MPI_Allreduce(MPI_IN_PLACE, &high, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      d = low + high;
    }
    const double curvature = (deflection[0] - 2 * deflection[1] + deflection[2]) / 4;
    // A bent brick is also sheared. With nu = 0, the shear adds 1/2 (voxel / thickness)^2 to the stiffness of the strip.
    const double bricks = 1.5e-3 / (1 + 0.5 * h * h);
    EXPECT_NEAR(std::abs(curvature), bricks, 1e-6 * bricks);
  }
}

// Oracle: integral (eps - eps_th) D (eps - eps_th) = u.K.u - 2 u.f + integral eps_th D eps_th, and K u = f + reactions. The
// left side is the sum of the energy densities. The right side is computed from displacements, forces and reactions.
TEST(ThermalLoad, TheEnergyOfTheMechanicalStrainBalances) {
  const model m = porous_alloy();
  const support plates = [&](index3 n, const axis_value& fix) {
    for (int c = 0; c < 3 && (n.z == 0 || n.z == m.shape.z); ++c) fix(c, c == 0 && n.z != 0 ? 0.02 : 0.0);
  };
  const auto p = make_problem(m, plates);
  const auto strain = physics::thermal_strain(p, uneven(p), std::vector{0.0, 1e-5, 3e-5}, 310);
  const heated h = solve_heated(p, strain);
  const double volume = p.spacing_mm.z * p.spacing_mm.y * p.spacing_mm.x;
  double sums[2] = {};
  for (std::size_t cell = 0; cell < strain.size(); ++cell) {
    const voxel::material& made_of = m.materials[p.material[cell]];
    const auto lame = kernel::lame_of(made_of.youngs_modulus_MPa, made_of.poisson_ratio);
    sums[0] += 2 * volume * static_cast<double>(h.whole[cell]);
    sums[1] += volume * strain[cell] * strain[cell] * (9 * lame.lambda + 6 * lame.mu);
  }
  const auto& u = h.solution.displacement_mm;
  const auto& copies = h.solution.copies;
  for (std::int32_t n = 0; n < p.nodes.size(); ++n)
    for (std::size_t c = 0; c < 3 && !std::binary_search(copies.begin(), copies.end(), n); ++c)
      sums[1] += u[3 * static_cast<std::size_t>(n) + c] * h.solution.reaction_N[3 * static_cast<std::size_t>(n) + c];
  for (const numerics::nodal_force& f : physics::thermal_forces(p, strain))
    for (int c = 0; c < 3; ++c) sums[1] -= u[static_cast<std::size_t>(3 * f.node + c)] * f.force_N[c];
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_NEAR(sums[0] / sums[1], 1, 1e-7);
  EXPECT_LT(h.solution.certificate.energy_identity_error, 1e-8);
}

// Invariant: the solution does not depend on the number of ranks.
TEST(ThermalLoad, RanksDoNotMatter) {
  const model m = porous_alloy();
  const auto run = [&](MPI_Comm comm) {
    auto p = make_problem(m, nothing, comm);
    p.fixed = physics::determinate_support(p);
    const heated h = solve_heated(p, physics::thermal_strain(p, uneven(p), std::vector{0.0, 1e-5, 3e-5}, 310));
    return std::pair(std::move(p), h);
  };
  const auto [alone, expected] = run(MPI_COMM_SELF);
  const auto [mine, found] = run(MPI_COMM_WORLD);
  const double scale = largest(MPI_COMM_SELF, expected.stress);
  const auto shift = static_cast<std::size_t>(alone.cells.plane_begin(mine.where.owned.begin.z));
  for (std::size_t i = 0; i < found.stress.size(); ++i)
    EXPECT_NEAR(found.stress[i], expected.stress[6 * shift + i], 1e-6 * scale);
}

// Oracle: the message contains both numbers, or the cell with its temperature and its material, determined by hand.
TEST(ThermalLoad, TheMessageOfWhatDoesNotFitNamesBothNumbersOrTheCell) {
  const model m = solid({3, 2, 2});
  const auto p = make_problem(m, nothing);
  const std::size_t cells = p.material.size();
  const std::vector<double> warm(cells, 300.0), many(cells + 1, 300.0);
  const std::string sizes =
      "thermal strain: " + std::to_string(cells + 1) + " temperatures for " + std::to_string(cells) + " active cells";
  const auto strain_of = [&](const std::vector<double>& temperature_K, const std::vector<double>& expansion) {
    return [&] { physics::thermal_strain(p, temperature_K, expansion, 310); };
  };
  const std::vector<double> fits{0.0, 1e-5, 1e-5}, short_of_one{0.0, 1e-5}, unknown{0.0, NAN, NAN};

  EXPECT_TRUE(message_of<usage_error>(strain_of(many, fits)).starts_with(sizes));
  EXPECT_TRUE(message_of<usage_error>(strain_of(warm, short_of_one))
                  .starts_with("thermal strain: 2 expansion coefficients for 3 materials"));
  EXPECT_TRUE(message_of<usage_error>([&] {
                physics::thermal_forces(p, many);
              }).starts_with("thermal load: " + std::to_string(cells + 1) + " strains for " + std::to_string(cells)));
  if (warm.empty()) return;  // there are more ranks than planes
  EXPECT_TRUE(message_of<data_error>(strain_of(warm, unknown))
                  .starts_with("thermal strain of cell 0 not finite: temperature 300 K, material 1 with expansion nan 1/K"));
}

}  // namespace thermal_load_test
