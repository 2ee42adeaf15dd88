#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/communicator.hpp>

#include "elastic_model.hpp"

namespace elastic_periodic_test {

using namespace osteon;
using namespace osteon::elastic_model;

/// One node inside the cell is fixed to prevent translations.
numerics::elasticity_problem periodic(model& m, MPI_Comm comm = MPI_COMM_WORLD) {
  index3 held{1, 1, 1};
  while (m.at(held.z, held.y, held.x) == 0) ++held.x;
  auto p = make_problem(
      m,
      [&](index3 node, const axis_value& fix) {
        for (int c = 0; c < 3 && node == held; ++c) fix(c, 0);
      },
      comm);
  p.periodic = {true, true, true};
  return p;
}

/// Energy of the unit cell over its volume, from K u and u. The result is twice the strain energy density of the mean
/// strain.
double stiffness(const numerics::elasticity_problem& p, const physics::elasticity_solution& s) {
  double work = 0;
  for (std::int32_t n = 0; n < p.nodes.size(); ++n) {
    if (std::binary_search(s.copies.begin(), s.copies.end(), n)) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto at = 3 * static_cast<std::size_t>(n) + c;
      work += s.displacement_mm[at] * s.reaction_N[at];
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &work, 1, MPI_DOUBLE, MPI_SUM, p.where.comm);
  return work / (static_cast<double>(p.where.domain.volume()) * p.spacing_mm.z * p.spacing_mm.y * p.spacing_mm.x);
}

constexpr std::array<double, 6> unit(std::size_t k) {
  std::array<double, 6> strain{};
  strain[k] = 1;
  return strain;
}

// Oracle: the closed form of a 50/50 laminate with E = 1 and 10, nu = 0.3, and layers across z.
TEST(ElasticPeriodic, ALaminateHasItsConstantsToSevenDigits) {
  for (const index3 shape : {index3{8, 4, 4}, index3{10, 3, 5}, index3{14, 2, 3}}) {
    model m = solid(shape, {0.5, 1.0, 1.5});
    for (std::int64_t z = shape.z / 2; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) m.at(z, y, x) = 2;
    const auto p = periodic(m);
    physics::elasticity_solver solver(p, {1e-10, 500}, null_log());
    const std::array<double, 6> expected{6.493507, 6.493507, 2.447552, 2.1153846, 0.6993007, 0.6993007};
    for (std::size_t k = 0; k < 6; ++k) {
      const auto s = solver.solve({.prescribed_mm = {}, .forces = {}, .mean_strain = unit(k)});
      EXPECT_TRUE(s.certificate.converged);
      EXPECT_NEAR(stiffness(p, s) / expected[k], 1, 2e-7) << k;
      EXPECT_LT(s.certificate.reaction_imbalance, 1e-7);
      EXPECT_LT(s.certificate.energy_identity_error, 1e-7);
    }
  }
}

// Invariant: the result does not depend on the origin of the unit cell. The unit cell is porous and has an odd size.
TEST(ElasticPeriodic, AShiftedUnitCellIsTheSame) {
  model m = porous(13, 13);
  model shifted = m;
  for (std::int64_t z = 0; z < 13; ++z)
    for (std::int64_t y = 0; y < 13; ++y)
      for (std::int64_t x = 0; x < 13; ++x)
        shifted.at(z, y, x) = m.voxels[static_cast<std::size_t>((((z + 5) % 13) * 13 + (y + 9) % 13) * 13 + (x + 3) % 13)];
  const auto p = periodic(m), q = periodic(shifted);
  for (const std::size_t k : {2U, 4U}) {
    const auto a = physics::elasticity_solver(p, {1e-9, 500}, null_log())
                       .solve({.prescribed_mm = {}, .forces = {}, .mean_strain = unit(k)});
    const auto b = physics::elasticity_solver(q, {1e-9, 500}, null_log())
                       .solve({.prescribed_mm = {}, .forces = {}, .mean_strain = unit(k)});
    EXPECT_TRUE(a.certificate.converged && b.certificate.converged);
    EXPECT_NEAR(stiffness(p, a) / stiffness(q, b), 1, 1e-7);
  }
}

// Oracle: the same problem on one rank.
TEST(ElasticPeriodic, DoesNotDependOnRanks) {
  model m = porous(14, 14);
  const auto p = periodic(m), alone = periodic(m, MPI_COMM_SELF);
  const physics::elasticity_load load{.prescribed_mm = {}, .forces = {}, .mean_strain = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}};
  const auto many = physics::elasticity_solver(p, {1e-9, 500}, null_log()).solve(load);
  const auto one = physics::elasticity_solver(alone, {1e-9, 500}, null_log()).solve(load);
  EXPECT_EQ(many.certificate.unknowns, one.certificate.unknowns);
  EXPECT_NEAR(many.certificate.iterations, one.certificate.iterations, 1);
  EXPECT_NEAR(stiffness(p, many) / stiffness(alone, one), 1, 1e-8);
}

}  // namespace elastic_periodic_test
