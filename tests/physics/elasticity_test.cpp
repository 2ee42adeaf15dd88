#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <set>

#include "elastic_model.hpp"

namespace elasticity_test {

using namespace osteon;
using namespace osteon::elastic_model;

/// Sum over ranks of the reaction along `direction`, for the plane `plane` of nodes across `across`. Each node is counted
/// once.
double reaction_on_face(const numerics::elasticity_problem& p, const physics::elasticity_solution& s, int across,
                        std::int64_t plane, int direction) {
  double sum = 0;
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 node{p.where.owned.begin.z + r.z, r.y, r.x + i};
      const double force = s.reaction_N[static_cast<std::size_t>(3 * (r.first + i) + direction)];
      if (node[across] == plane) sum += force;
    }
  // A node between two ranks is on both ranks if both ranks have a voxel at the node. The function therefore queries the
  // other rank.
  std::vector<double> low(static_cast<std::size_t>((p.where.domain.y + 1) * (p.where.domain.x + 1))), mine = low;
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const auto place = static_cast<std::size_t>(r.y * (p.where.domain.x + 1) + r.x + i);
      const index3 node{p.where.owned.begin.z + r.z, r.y, r.x + i};
      if (node[across] != plane) continue;
      if (r.z == 0) low[place] = s.reaction_N[static_cast<std::size_t>(3 * (r.first + i) + direction)];
      if (r.z == p.where.owned.shape().z) mine[place] = 1;
    }
  std::vector<double> from_below(low.size());
  MPI_Sendrecv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, p.where.above, 0, from_below.data(),
               static_cast<int>(mine.size()), MPI_DOUBLE, p.where.below, 0, p.where.comm, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < low.size(); ++i) sum -= from_below[i] * low[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, p.where.comm);
  return sum;
}

/// Supports of a bonded compression by 1 % along `along`.
support compression(index3 shape, vector3 spacing, int along) {
  return [=](index3 node, const axis_value& fix) {
    if (node[along] != 0 && node[along] != shape[along]) return;
    for (int c = 0; c < 3; ++c)
      fix(c, c == along && node[along] != 0 ? -0.01 * static_cast<double>(shape[along]) * spacing[along] : 0.0);
  };
}

/// Uniform strain along `along`. Every outer face is fixed in its normal direction.
support confined(index3 shape, vector3 spacing, int along, double strain) {
  return [=](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3; ++c) {
      if (node[c] == 0) fix(c, 0);
      if (node[c] == shape[c]) fix(c, c == along ? strain * static_cast<double>(shape[c]) * spacing[c] : 0);
    }
  };
}

double area(const model& m, int across) {
  double a = 1;
  for (int d = 0; d < 3; ++d)
    if (d != across) a *= static_cast<double>(m.shape[d]) * m.spacing[d];
  return a;
}

// Oracle: analytic solution. A bar under uniform stress has sigma = E strain, for any Poisson contraction of its
// cross-section.
TEST(elasticity, stretches_a_bar_by_its_youngs_modulus) {
  const model m = solid({11, 6, 5}, {0.5, 0.8, 1.1});
  for (int along = 0; along < 3; ++along) {
    const auto p = make_problem(m, [&](index3 node, const axis_value& fix) {
      if (node[along] == 0) fix(along, 0);
      if (node[along] == m.shape[along]) fix(along, 0.02 * static_cast<double>(m.shape[along]) * m.spacing[along]);
      for (int c = 0; c < 3; ++c)  // two planes of symmetry prevent sliding
        if (c != along && node[c] == 0) fix(c, 0);
    });
    const auto s = solved(p);
    EXPECT_TRUE(s.certificate.converged);
    EXPECT_NEAR(reaction_on_face(p, s, along, m.shape[along], along) / area(m, along) / 0.02, 1.0, 1e-8);
    EXPECT_LT(s.certificate.energy_identity_error, 1e-8);
    for (const float sed : physics::integrated_energy_density(p, s.displacement_mm))
      ASSERT_NEAR(sed, 0.5 * 0.02 * 0.02, 1e-9);
  }
}

// Oracle: analytic solution, E (1 - nu) / ((1 + nu)(1 - 2 nu)).
TEST(elasticity, gives_a_confined_block_the_confined_modulus) {
  const model m = solid({9, 4, 7}, {1.1, 0.7, 0.9});
  const auto p = make_problem(m, confined(m.shape, m.spacing, 0, -0.01));
  const auto s = solved(p);
  EXPECT_NEAR(reaction_on_face(p, s, 0, 9, 0) / area(m, 0) / -0.01, 0.7 / (1.3 * 0.4), 1e-8);
}

// Oracle: analytic solution. The displacement u_x = gamma z is simple shear with stress gamma E / (2 (1 + nu)).
TEST(elasticity, gives_simple_shear_the_shear_modulus) {
  const model m = solid({8, 5, 6}, {1.1, 0.7, 0.9});
  const auto p = make_problem(m, [&](index3 node, const axis_value& fix) {
    bool outer = false;
    for (int c = 0; c < 3; ++c) outer = outer || node[c] == 0 || node[c] == m.shape[c];
    if (!outer) return;
    fix(0, 0), fix(1, 0), fix(2, 0.02 * static_cast<double>(node.z) * m.spacing.z);
  });
  const auto s = solved(p);
  double stress = 0;
  for (const float sed : physics::integrated_energy_density(p, s.displacement_mm))
    stress = std::max(stress, 2 * static_cast<double>(sed) / 0.02);
  MPI_Allreduce(MPI_IN_PLACE, &stress, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_NEAR(stress, 0.02 / 2.6, 1e-8);
}

// Oracle: the closed form of layered media (Backus). The layers are normal to z, with E = 1 and 10, and nu = 0.3.
TEST(elasticity, gives_a_laminate_the_constants_of_layered_media) {
  model m = solid({8, 6, 6});
  for (std::int64_t z = 0; z < 8; ++z)
    for (std::int64_t y = 0; y < 6; ++y)
      for (std::int64_t x = 0; x < 6; ++x) m.at(z, y, x) = static_cast<material_number>(1 + z / 2 % 2);
  const auto normal = make_problem(m, confined(m.shape, m.spacing, 0, 0.01));
  const auto s33 = solved(normal);
  EXPECT_NEAR(reaction_on_face(normal, s33, 0, 8, 0) / area(m, 0) / 0.01, 2.447552, 2e-6);
  EXPECT_NEAR(reaction_on_face(normal, s33, 1, 6, 1) / area(m, 1) / 0.01, 1.048951, 2e-6);  // C13

  const auto along = make_problem(m, confined(m.shape, m.spacing, 2, 0.01));
  const auto s11 = solved(along);
  EXPECT_NEAR(reaction_on_face(along, s11, 2, 6, 2) / area(m, 2) / 0.01, 6.493507, 6e-6);
  EXPECT_NEAR(reaction_on_face(along, s11, 1, 6, 1) / area(m, 1) / 0.01, 2.262737, 2e-6);
  EXPECT_NEAR(reaction_on_face(along, s11, 0, 8, 0) / area(m, 0) / 0.01, 1.048951, 2e-6);

  const auto across = make_problem(m, [&](index3 node, const axis_value& fix) {
    if (node.y == 0 || node.y == 6 || node.x == 0 || node.x == 6) fix(0, 0), fix(1, 0);
    if (node.z == 0 || node.z == 8) fix(2, 0.01 * static_cast<double>(node.z));
  });
  EXPECT_NEAR(reaction_on_face(across, solved(across), 0, 8, 2) / area(m, 0) / 0.01, 0.6993007, 1e-6);  // C44

  const auto within = make_problem(m, [&](index3 node, const axis_value& fix) {
    if (node.y == 0 || node.y == 6) fix(2, 0.01 * static_cast<double>(node.y));
    fix(0, 0), fix(1, 0);
  });
  EXPECT_NEAR(reaction_on_face(within, solved(within), 1, 6, 2) / area(m, 1) / 0.01, 2.1153846, 3e-6);  // C66
}

// Oracle: an invariant. The stiffness of a body does not depend on the orientation of its image.
TEST(elasticity, is_the_same_for_a_reflected_and_for_a_turned_image) {
  const model m = porous(15);
  const auto p = make_problem(m, compression(m.shape, m.spacing, 0));
  const double force = reaction_on_face(p, solved(p), 0, 15, 0);
  EXPECT_LT(force, 0);

  model turned = m, reflected = m;
  turned.spacing = {m.spacing.x, m.spacing.z, m.spacing.y};
  model from = m;
  for (std::int64_t z = 0; z < 15; ++z)
    for (std::int64_t y = 0; y < 15; ++y)
      for (std::int64_t x = 0; x < 15; ++x) {
        turned.at(x, z, y) = from.at(z, y, x);
        reflected.at(14 - z, y, 14 - x) = from.at(z, y, x);
      }
  const auto pt = make_problem(turned, compression(turned.shape, turned.spacing, 1));
  EXPECT_NEAR(reaction_on_face(pt, solved(pt), 1, 15, 1) / force, 1, 1e-8);
  const auto pr = make_problem(reflected, compression(reflected.shape, reflected.spacing, 0));
  EXPECT_NEAR(reaction_on_face(pr, solved(pr), 0, 15, 0) / force, 1, 1e-8);
}

// Oracle: the same problem on one rank and one thread.
TEST(elasticity, does_not_depend_on_ranks_and_threads) {
  const model m = porous(21);
  const auto p = make_problem(m, compression(m.shape, m.spacing, 0));
  omp_set_num_threads(1);
  const auto one = solved(p, 1e-10);
  if (comm::size(MPI_COMM_WORLD) == 1) {  // more ranks with waiting threads would compete for the cores
    const numerics::options a_few{1e-6, 3};
    const auto by_one = physics::solve_elasticity(p, a_few, null_log());
    omp_set_num_threads(2);
    const auto by_two = physics::solve_elasticity(p, a_few, null_log());
    omp_set_num_threads(1);
    EXPECT_EQ(by_one.displacement_mm, by_two.displacement_mm);
    EXPECT_EQ(by_one.certificate.residual_history, by_two.certificate.residual_history);
  }
  const double force = reaction_on_face(p, one, 0, 21, 0);
  const auto alone = make_problem(m, compression(m.shape, m.spacing, 0), MPI_COMM_SELF);
  const auto by_one_rank = solved(alone, 1e-10);
  EXPECT_NEAR(by_one_rank.certificate.iterations, one.certificate.iterations, 1);  // rounding may change the last iteration
  EXPECT_EQ(by_one_rank.certificate.unknowns, one.certificate.unknowns);
  EXPECT_NEAR(force / reaction_on_face(alone, by_one_rank, 0, 21, 0), 1, 1e-8);
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      for (int c = 0; c < 3; ++c)
        ASSERT_NEAR(one.displacement_mm[static_cast<std::size_t>(3 * (r.first + i) + c)],
                    by_one_rank.displacement_mm[static_cast<std::size_t>(
                        3 * alone.nodes.find(p.where.owned.begin.z + r.z, r.y, r.x + i) + c)],
                    1e-7);
  EXPECT_NEAR(reaction_on_face(p, one, 0, 0, 0) / -force, 1, 1e-5);
  EXPECT_LT(one.certificate.reaction_imbalance, 1e-5);
  EXPECT_LE(one.certificate.true_relative_residual, 1e-10);
}

// Oracle: an invariant. Multigrid needs about the same number of iterations for fifteen times as many voxels.
TEST(elasticity, takes_about_as_many_iterations_on_finer_images) {
  int iterations[2];
  for (int i = 0; i < 2; ++i) {
    const model m = porous(i == 0 ? 16 : 40);
    const auto p = make_problem(m, compression(m.shape, m.spacing, 0));
    iterations[i] = solved(p, 1e-6).certificate.iterations;
  }
  EXPECT_LE(iterations[1], 2 * iterations[0]);
  EXPECT_LE(iterations[1], 30);
}

// Oracle: the contract. A solution that missed the tolerance is returned and marked as not converged.
TEST(elasticity, tells_that_it_has_not_converged) {
  const model m = porous(15);
  const auto p = make_problem(m, compression(m.shape, m.spacing, 0));
  const auto s = physics::solve_elasticity(p, {1e-12, 2}, null_log());
  EXPECT_FALSE(s.certificate.converged);
  EXPECT_EQ(s.certificate.iterations, 2);
  EXPECT_EQ(s.certificate.residual_history.size(), 3U);
  EXPECT_GT(s.certificate.true_relative_residual, 1e-12);
}

// Oracle: determined by hand. The free motions are those that three fixed faces do not prevent.
TEST(elasticity, names_the_free_rigid_motions) {
  const model m = solid({8, 5, 6});
  const auto names = [&](const support& supports) { return physics::free_rigid_motions(make_problem(m, supports)); };
  using list = std::vector<std::string>;
  const auto top_normal = names([](index3 node, const axis_value& fix) {
    if (node.z == 8) fix(0, -1);
  });
  EXPECT_EQ(std::set<std::string>(top_normal.begin(), top_normal.end()),
            (std::set<std::string>{"translation along y", "translation along x", "rotation about z"}));
  EXPECT_EQ(names([](index3 node, const axis_value& fix) {
              if (node.z == 0 && node.y == 0) fix(0, 0), fix(1, 0), fix(2, 0);
            }),
            list{"rotation about x"});
  EXPECT_EQ(names(compression(m.shape, m.spacing, 2)), list{});
  EXPECT_EQ(names([](index3, const axis_value&) {}).size(), 6U);
  EXPECT_THROW(solved(make_problem(m,
                                   [](index3 node, const axis_value& fix) {
                                     if (node.z == 8) fix(0, -1);
                                   })),
               data_error);
}

// Oracle: the contract.
TEST(elasticity, rejects_unsolvable_problems) {
  model empty = solid({8, 4, 4});
  std::fill(empty.voxels.begin(), empty.voxels.end(), material_number{0});
  EXPECT_THROW(solved(make_problem(empty, compression(empty.shape, empty.spacing, 0))), data_error);
  for (const auto& [modulus, ratio] : {std::pair{0.0, 0.3}, {-1.0, 0.3}, {1.0, 0.5}, {1.0, -1.0}}) {
    model m = solid({8, 4, 4});
    m.materials[1].youngs_modulus_MPa = modulus;
    m.materials[1].poisson_ratio = ratio;
    EXPECT_THROW(solved(make_problem(m, compression(m.shape, m.spacing, 0))), data_error) << modulus << " " << ratio;
  }
  model missing = solid({8, 4, 4});
  missing.at(3, 1, 1) = 7;
  EXPECT_THROW(solved(make_problem(missing, compression(missing.shape, missing.spacing, 0))), data_error);
}

// Oracle: the contract. Only one copy of a node on the plane between two ranks is fixed, or the copies are displaced
// differently.
TEST(elasticity, refuses_copies_that_are_prescribed_differently) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size == 1) GTEST_SKIP() << "one rank has no copies";
  const model m = solid({8, 4, 4});
  auto held = make_problem(m, compression(m.shape, m.spacing, 0));
  if (rank == 1) held.fixed.push_back({held.nodes.find(0, 1, 1), axis::x, 0.0});
  EXPECT_THROW(solved(held), usage_error);
  auto driven = make_problem(m, compression(m.shape, m.spacing, 0));
  if (rank <= 1)
    driven.fixed.push_back({driven.nodes.find(rank == 1 ? 0 : driven.where.owned.shape().z, 1, 1), axis::x, 0.01 * rank});
  EXPECT_THROW(solved(driven), usage_error);
}

// Oracle: the modulus of the bar. The last ranks have planes without voxels.
TEST(elasticity, works_where_a_rank_has_no_voxels) {
  model m = solid({14, 4, 4});
  for (std::int64_t z = 5; z < 14; ++z)
    for (std::int64_t y = 0; y < 4; ++y)
      for (std::int64_t x = 0; x < 4; ++x) m.at(z, y, x) = 0;
  const auto p = make_problem(m, [](index3 node, const axis_value& fix) {
    if (node.z == 0 || node.z == 5) fix(0, node.z == 0 ? 0 : 0.05);
    if (node.y == 0) fix(1, 0);
    if (node.x == 0) fix(2, 0);
  });
  EXPECT_NEAR(reaction_on_face(p, solved(p), 0, 5, 0) / 16 / 0.01, 1, 1e-8);
}

// Oracle: zero, because all prescribed values are zero.
TEST(elasticity, an_unloaded_body_stays_at_rest) {
  const model m = solid({8, 4, 4});
  const auto s = solved(make_problem(m, [](index3 node, const axis_value& fix) {
    if (node.z == 0) fix(0, 0), fix(1, 0), fix(2, 0);
  }));
  EXPECT_TRUE(s.certificate.converged);
  EXPECT_EQ(s.certificate.iterations, 0);
  for (const double u : s.displacement_mm) ASSERT_EQ(u, 0);
}

// Oracle: the single-precision cycle must not depend on the unit of the moduli.
TEST(elasticity, takes_any_scale_of_moduli_and_lengths) {
  model m = porous(12);
  const auto p = make_problem(m, compression(m.shape, m.spacing, 0));
  const auto usual = solved(p, 1e-6);
  m.materials[1].youngs_modulus_MPa = 1e-9;
  for (int c = 0; c < 3; ++c) m.spacing[c] *= 1e-4;
  const auto p2 = make_problem(m, compression(m.shape, m.spacing, 0));
  const auto tiny = solved(p2, 1e-6);
  EXPECT_EQ(tiny.certificate.iterations, usual.certificate.iterations);
  EXPECT_NEAR(reaction_on_face(p2, tiny, 0, 12, 0) / reaction_on_face(p, usual, 0, 12, 0) / 1e-17, 1, 1e-6);
}

// Oracle: a value computed by hand. A quarter of the confined stiffness of a voxel acts on each of its upper nodes. Isolated
// voxels keep all their nodes on the coarse levels.
TEST(elasticity, solves_voxels_that_hang_together_with_nothing) {
  model m = solid({12, 12, 12});
  for (std::int64_t z = 0; z < 12; ++z)
    for (std::int64_t y = 0; y < 12; ++y)
      for (std::int64_t x = 0; x < 12; ++x) m.at(z, y, x) = z % 2 == 0 && y % 2 == 0 && x % 2 == 0 ? 1 : 0;
  const auto p = make_problem(m, [](index3 node, const axis_value& fix) {
    fix(1, 0);
    fix(2, 0);
    if (node.z % 2 == 0) fix(0, 0);
  });
  physics::elasticity_load load;
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      if ((p.where.owned.begin.z + r.z) % 2 == 1 && r.z > 0) load.forces.push_back({r.first + i, {0.01, 0, 0}});
  const auto s = physics::elasticity_solver(p, {1e-10, 500}, null_log()).solve(load);
  EXPECT_TRUE(s.certificate.converged);
  constexpr double confined = 0.7 / (1.3 * 0.4);
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      EXPECT_NEAR(s.displacement_mm[static_cast<std::size_t>(3 * (r.first + i))],
                  (p.where.owned.begin.z + r.z) % 2 == 1 ? 0.04 / confined : 0, 1e-9);
}

}  // namespace elasticity_test
