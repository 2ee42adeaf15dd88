// Complete solutions compared with closed forms and with a direct solver.
#include <gtest/gtest.h>

#include <cmath>
#include <osteon/physics/elasticity/solver/homogenise.hpp>
#include <random>

#include "direct_solution.hpp"
#include "elastic_model.hpp"

namespace elasticity_proof_test {

using namespace osteon;
using namespace osteon::elastic_model;

/// Two phases and pores at random between two full planes. The planes are displaced relative to each other.
model random_image(index3 shape, unsigned seed, double contrast) {
  model m = solid(shape, {1, 1.2, 0.9});
  m.materials[2].youngs_modulus_MPa = contrast;
  std::mt19937 random(seed);
  for (std::int64_t z = 1; z + 1 < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x) m.at(z, y, x) = static_cast<material_number>(1 + random() % 2);
  for (std::int64_t z = 1; z + 1 < shape.z; z += 2)  // isolated pores, so that the solid is connected by faces
    for (std::int64_t y = 1; y + 1 < shape.y; y += 2)
      for (std::int64_t x = 1; x + 1 < shape.x; x += 2) m.at(z, y, x) = 0;
  return m;
}

support bonded(index3 shape) {
  return [=](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3; ++c) {
      if (node.z == 0) fix(c, 0);
      if (node.z == shape.z) fix(c, c == 0 ? -0.1 : 0.02);
    }
  };
}

/// Difference between the solver and the direct solution, relative to the largest displacement. @param tolerance tolerance
/// that the solver must meet
double difference_from_direct(const model& m, const support& supports, double tolerance) {
  const auto p = make_problem(m, supports);
  const auto s = solved(p, tolerance);
  EXPECT_TRUE(s.certificate.converged);
  EXPECT_LE(s.certificate.true_relative_residual, tolerance);
  return largest_difference(p, s, direct_solution(make_problem(m, supports, MPI_COMM_SELF), {}));
}

/// Tip deflection of a beam under a unit force. The beam has a square section with edge 1, the length 8, a thickness of n
/// voxels, E = 1, and nu = 0.3.
///
/// The root remains plane without further constraints, as in beam theory. The root may contract. Its shear is applied by
/// distributed forces, like the forces of the tip. Deflections are means over the faces.
double tip_deflection(std::int64_t n) {
  const double h = 1.0 / static_cast<double>(n);
  const index3 shape{8 * n, n, n};
  const auto beam = solid(shape, {h, h, h});  // the problem refers to its materials
  const auto p = make_problem(beam, [=](index3 node, const axis_value& fix) {
    if (node.z == 0) fix(0, 0);
    if (node == index3{0, n / 2, n / 2}) fix(1, 0), fix(2, 0);
    if (node == index3{0, n / 2, n}) fix(1, 0);
  });
  physics::elasticity_load load;
  std::vector<std::pair<std::size_t, double>> share;  // contribution to the mean over the tip minus the mean over the root
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const std::int64_t z = p.where.owned.begin.z + r.z;
      if (z != 0 && z != shape.z) continue;
      const double weight = h * h * (r.y % n == 0 ? 0.5 : 1) * ((r.x + i) % n == 0 ? 0.5 : 1) * (z == 0 ? -1 : 1);
      share.emplace_back(3 * static_cast<std::size_t>(r.first + i) + 2, weight);
      // A shared plane is inside the beam, because the tip and the root are each on one rank.
      load.forces.push_back({r.first + i, {0, 0, weight}});
    }
  const auto s = physics::elasticity_solver(p, {1e-9, 500}, null_log()).solve_last(load);
  EXPECT_TRUE(s.certificate.converged);
  double deflection = 0;
  for (const auto& [place, weight] : share) deflection += weight * s.displacement_mm[place];
  MPI_Allreduce(MPI_IN_PLACE, &deflection, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return deflection;
}

/// An eighth of a cubic cell with a spherical cavity around its corner. The eighth has n voxels along each edge. The faces
/// remain plane, so that the mirror images form a periodic array.
struct cavity {
  model m;
  double fraction = 0;  // volume fraction of the removed voxels
  cavity(std::int64_t n, double radius) : m(solid({n, n, n})) {
    for (std::int64_t z = 0; z < n; ++z)
      for (std::int64_t y = 0; y < n; ++y)
        for (std::int64_t x = 0; x < n; ++x) {
          const auto middle = [&](std::int64_t i) { return (static_cast<double>(i) + 0.5) / static_cast<double>(n); };
          if (std::hypot(middle(z), middle(y), middle(x)) < radius) m.at(z, y, x) = 0, fraction += 1;
        }
    fraction /= static_cast<double>(m.shape.volume());
  }
  /// Mean stress under the mean strains zz, yy and xx.
  std::array<double, 6> stress(vector3 strain) const {
    const auto p = make_problem(m, [&](index3 node, const axis_value& fix) {
      for (int c = 0; c < 3; ++c)
        if (node[c] % m.shape[c] == 0) fix(c, strain[c] * static_cast<double>(node[c]));
    });
    const auto s = solved(p, 1e-8);
    EXPECT_TRUE(s.certificate.converged);
    return physics::mean_stress_MPa(p, s.displacement_mm);
  }
};

// Oracle: an assembled matrix and its factorisation.
TEST(elasticity_proof, agrees_with_a_direct_solver) {
  EXPECT_LT(difference_from_direct(random_image({9, 8, 7}, 3, 10), bonded({9, 8, 7}), 1e-11), 1e-8);
}

// Oracle: an assembled matrix and its factorisation. The single precision of the preconditioner has fewer digits than this
// contrast.
TEST(elasticity_proof, agrees_at_a_contrast_of_a_million) {
  for (const double contrast : {1e6, 1e-6})
    EXPECT_LT(difference_from_direct(random_image({9, 8, 7}, 4, contrast), bonded({9, 8, 7}), 1e-8), 1e-6) << contrast;
}

// Oracle: an assembled matrix and its factorisation. A plate that is ten times as wide as thick bends much more easily than
// its voxels deform. The second part of the test has flat voxels.
TEST(elasticity_proof, agrees_on_a_thin_plate) {
  model plate = solid({20, 20, 2});
  const support bent = [](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3; ++c)
      if (node.z == 0) fix(c, 0);
    if (node.z == 20) fix(2, 1);
  };
  EXPECT_LT(difference_from_direct(plate, bent, 1e-8), 1e-6);
  plate.spacing.x = 0.1;
  EXPECT_LT(difference_from_direct(plate, bent, 1e-8), 1e-6);
}

// Oracle: beam theory with Cowper's shear coefficient, P L^3 / (3 E I) + P L / (kappa G A). The limit of the deflections is
// found by Richardson's extrapolation.
TEST(elasticity_proof, a_cantilever_agrees_with_beam_theory) {
  const double expected = 8.0 * 8 * 8 / 3 * 12 + 8 * 2.6 / (10 * 1.3 / (12 + 11 * 0.3));
  const double d[] = {tip_deflection(4), tip_deflection(8), tip_deflection(16)};
  EXPECT_NEAR(std::log2((d[1] - d[0]) / (d[2] - d[1])), 2, 0.1) << "order of convergence";
  EXPECT_NEAR((4 * d[2] - d[1]) / 3 / expected, 1, 5e-4);  // the shear contributes 1.2 %
  EXPECT_LT(d[2], expected);                               // bricks are too stiff in bending
}

// Oracle: Goodier's cavity. The upper bounds of Hashin and Shtrikman for the moduli are exact to first order in the volume
// of the cavity. The bulk modulus of a cubic array does not exceed its bound. The moduli are smaller than the moduli of the
// solid by 3.6 and 2.6 %.
TEST(elasticity_proof, a_spherical_cavity_weakens_by_its_dilute_moduli) {
  const double bulk = 1 / 1.2, shear = 1 / 2.6;  // moduli for E = 1, nu = 0.3
  const cavity c(32, 0.3);
  const double solid = 1 - c.fraction;
  const double bulk_bound = bulk + c.fraction / (3 * solid / (3 * bulk + 4 * shear) - 1 / bulk);
  const double shear_bound =
      shear + c.fraction / (6 * (bulk + 2 * shear) * solid / (5 * shear * (3 * bulk + 4 * shear)) - 1 / shear);
  const double found_bulk = c.stress({1, 1, 1})[2] / 3;
  EXPECT_LT(found_bulk, bulk_bound);
  EXPECT_NEAR(found_bulk / bulk_bound, 1, 1e-3);
  const auto sheared = c.stress({1, -1, 0});
  EXPECT_NEAR((sheared[2] - sheared[1]) / 4 / shear_bound, 1, 1e-3);
}

}  // namespace elasticity_proof_test
