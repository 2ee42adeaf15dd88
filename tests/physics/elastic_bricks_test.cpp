#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/communicator.hpp>
#include <osteon/numerics/multigrid/coarse_stiffness.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/reactions.hpp>

#include "elastic_model.hpp"
#include "grid/sample_bricks.hpp"

namespace elastic_bricks_test {

using namespace osteon;
using namespace osteon::elastic_model;

/// Struts of two materials along all axes.
model lattice(index3 shape) {
  model m = solid(shape, {0.9, 1.0, 1.2});
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x)
        m.at(z, y, x) = static_cast<material_number>((z % 4 < 2) + (y % 4 < 2) + (x % 4 < 2) >= 2 ? 1 + (z + y) % 3 / 2 : 0);
  return m;
}

/// A column in a corner of a wide domain. Most bricks are almost empty, and some contain no voxel.
model column(index3 shape) {
  model m = solid(shape);
  std::fill(m.voxels.begin(), m.voxels.end(), material_number{0});
  for (std::int64_t z = 0; z < shape.z; ++z) m.at(z, 0, 0) = 1;
  return m;
}

support compression(index3 shape) {
  return [=](index3 node, const axis_value& fix) {
    if (node.z != 0 && node.z != shape.z) return;
    for (int c = 0; c < 3; ++c) fix(c, c == 0 && node.z != 0 ? -0.1 : 0.0);
  };
}

grid::block bricks_of(const model& m) { return grid::make_block(MPI_COMM_WORLD, sample::bricks(m.shape, m.voxels)); }

/// Calls body(node of p, corresponding node of alone).
template <class F>
void for_each_node(const numerics::elasticity_problem& p, const numerics::elasticity_problem& alone, F&& body) {
  const index3 low = p.where.owned.begin;
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      body(r.first + i, alone.nodes.find(low.z + r.z, low.y + r.y, low.x + r.x + i));
}

// Oracle: the product on one rank. The results differ only by rounding, because the order of the sums differs.
TEST(elastic_bricks, multiply_as_one_rank_does) {
  for (const model& m : {lattice({9, 8, 10}), column({7, 6, 5})}) {
    const auto p = make_problem(m, compression(m.shape), bricks_of(m));
    const auto alone = make_problem(m, compression(m.shape), MPI_COMM_SELF);
    const numerics::fine_stiffness k(p), one(alone);
    std::vector<double> x(static_cast<std::size_t>(one.size())), y(x.size());
    for (std::int32_t node = 0; node < alone.nodes.size(); ++node)
      for (int c = 0; c < 3; ++c) x[static_cast<std::size_t>(c * one.stride() + node)] = numerics::scrambled(3 * node + c);
    one.forces(x.data(), y.data());
    std::vector<double> own(static_cast<std::size_t>(k.size())), product(own.size());
    for_each_node(p, alone, [&](std::int32_t node, std::int32_t same) {
      ASSERT_EQ(k.ids()[static_cast<std::size_t>(node)], one.ids()[static_cast<std::size_t>(same)]);
      for (int c = 0; c < 3; ++c)
        own[static_cast<std::size_t>(c * k.stride() + node)] = x[static_cast<std::size_t>(c * one.stride() + same)];
    });
    k.forces(own.data(), product.data());
    for_each_node(p, alone, [&](std::int32_t node, std::int32_t same) {
      for (int c = 0; c < 3; ++c) {
        ASSERT_NEAR(product[static_cast<std::size_t>(c * k.stride() + node)],
                    y[static_cast<std::size_t>(c * one.stride() + same)], 1e-12);
      }
      ASSERT_FLOAT_EQ(k.inverse_diagonal().value[static_cast<std::size_t>(node)],
                      one.inverse_diagonal().value[static_cast<std::size_t>(same)]);
    });
  }
}

// Oracle: the product, then the update of all nodes; on nodes with copies, all ranks must use the complete product.
TEST(elastic_bricks, update_nodes_during_a_product) {
  for (const bool is_periodic : {false, true}) {
    model m = lattice({8, 12, 12});
    auto p = is_periodic ? make_problem(
                               m, [](index3, const axis_value&) {}, bricks_of(m))
                         : make_problem(m, compression(m.shape), bricks_of(m));
    if (is_periodic) p.periodic = {true, true, true};
    const numerics::fine_stiffness k(p);
    const numerics::coarse_mesh coarse =
        numerics::coarsen(p.where.comm, {.lattice = {p.where.domain, p.periodic},
                                         .z_begin = p.where.owned.begin.z,
                                         .z_end = p.where.owned.end.z,
                                         .node_id = k.ids(),
                                         .shared = &k.shared(),
                                         .are_voxels = true,
                                         .visit_plane = [&](std::int64_t z, const numerics::brick_visitor& v) {
                                           k.visit_plane(z - p.where.owned.begin.z, v);
                                         }});
    const auto matrices = numerics::first_coarse_matrices(p, k, coarse);
    const auto touching = grid::adjacent_ranks(p.where, 1, p.periodic);
    const numerics::coarse_stiffness second(p.where.comm, coarse.mesh, p.spacing_mm, matrices, touching);
    for (const numerics::elasticity_operator* op : {static_cast<const numerics::elasticity_operator*>(&k),
                                                    static_cast<const numerics::elasticity_operator*>(&second)}) {
      const auto size = static_cast<std::size_t>(op->size());
      const std::span<const std::int64_t> ids = op == &k ? k.ids() : coarse.mesh.node_id;
      const grid::node_layout layout = op->layout();
      std::vector<float> x(size), y(size), r(size), expected_x(size), expected_r(size);
      for (std::size_t node = 0; node < ids.size(); ++node)
        for (int c = 0; c < 3; ++c) {
          const auto at =
              static_cast<std::size_t>(c * layout.component_stride) + node * static_cast<std::size_t>(layout.node_stride);
          x[at] = static_cast<float>(numerics::scrambled(static_cast<std::uint64_t>(3 * ids[node] + c)));
          r[at] = static_cast<float>(numerics::scrambled(static_cast<std::uint64_t>(3 * ids[node] + c + 1000000)));
        }
      for (const std::int64_t i : op->fixed()) x[static_cast<std::size_t>(i)] = 0;
      op->multiply(x.data(), y.data());
      const auto update = [](float& xi, float& ri, float yi, float inverse) {
        ri -= yi;
        xi = 0.5F * xi + inverse * ri;
      };
      expected_x = x, expected_r = r;
      numerics::for_each_with_diagonal(*op, [&](std::int64_t i, float inverse) {
        const auto at = static_cast<std::size_t>(i);
        update(expected_x[at], expected_r[at], y[at], inverse);
      });
      op->multiply(x.data(), y.data(),
                   {[&](std::int64_t begin, std::int64_t end) {
                      numerics::for_nodes(*op, begin, end, [&](std::int64_t i, float inverse) {
                        const auto at = static_cast<std::size_t>(i);
                        update(x[at], r[at], y[at], inverse);
                      });
                    },
                    {x.data(), r.data()}});
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_FLOAT_EQ(x[i], expected_x[i]) << i;
        ASSERT_FLOAT_EQ(r[i], expected_r[i]) << i;
      }
    }
    // Oracle: the product and the inner product in double precision.
    const auto size = static_cast<std::size_t>(k.size());
    std::vector<float> x(size);
    for (std::size_t node = 0; node < k.ids().size(); ++node)
      for (int c = 0; c < 3; ++c)
        x[static_cast<std::size_t>(c * k.stride()) + node] =
            static_cast<float>(numerics::scrambled(static_cast<std::uint64_t>(3 * k.ids()[node] + c)));
    for (const std::int64_t i : k.fixed()) x[static_cast<std::size_t>(i)] = 0;
    const std::vector<double> wide(x.begin(), x.end());
    std::vector<double> y(size), expected(size);
    double found = k.multiply_and_dot(x.data(), y.data());
    k.multiply(wide.data(), expected.data());
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(y[i], expected[i], 1e-12);
    double product = numerics::owned_dot(wide.data(), expected.data(), k.size(), k.layout(), k.shared());
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &product, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_NEAR(found / product, 1, 1e-12);
  }
}

// Oracle: the solution on one rank. The numbers of iterations are equal, because the coarse operators are equal.
TEST(elastic_bricks, give_the_answer_of_one_rank) {
  for (const model& m : {lattice({18, 14, 15}), column({7, 6, 5})}) {
    const auto p = make_problem(m, compression(m.shape), bricks_of(m));
    const auto alone = make_problem(m, compression(m.shape), MPI_COMM_SELF);
    const auto s = solved(p), one = solved(alone);
    EXPECT_TRUE(s.certificate.converged);
    EXPECT_EQ(s.certificate.iterations, one.certificate.iterations);
    EXPECT_EQ(s.certificate.unknowns, one.certificate.unknowns);
    EXPECT_LT(s.certificate.reaction_imbalance, 1e-8);
    EXPECT_LT(s.certificate.moment_imbalance, 1e-8);
    std::vector<std::int32_t> top, top_alone;
    for_each_node(p, alone, [&](std::int32_t node, std::int32_t same) {
      for (int c = 0; c < 3; ++c) {
        ASSERT_NEAR(s.displacement_mm[static_cast<std::size_t>(3 * node + c)],
                    one.displacement_mm[static_cast<std::size_t>(3 * same + c)], 1e-9);
        ASSERT_NEAR(s.reaction_N[static_cast<std::size_t>(3 * node + c)],
                    one.reaction_N[static_cast<std::size_t>(3 * same + c)], 1e-8);
      }
      const vector3 at = position_mm(p, node);
      ASSERT_EQ(at, position_mm(alone, same));
      if (at.z == static_cast<double>(m.shape.z) * m.spacing.z) top.push_back(node);
    });
    for (std::int32_t node = 0; node < alone.nodes.size(); ++node)
      if (position_mm(alone, node).z == static_cast<double>(m.shape.z) * m.spacing.z) top_alone.push_back(node);
    const auto all = physics::resultant(p, s, top), expected = physics::resultant(alone, one, top_alone);
    EXPECT_NEAR(all.force_N.z / expected.force_N.z, 1, 1e-9);
    EXPECT_EQ(all.nodes, expected.nodes);
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(all.about_mm[c], expected.about_mm[c], 1e-12);
      EXPECT_NEAR(all.moment_N_mm[c], expected.moment_N_mm[c], 1e-7);
    }
  }
}

// Oracle: the solution on one rank.
TEST(elastic_bricks, may_be_periodic) {
  const model m = lattice({8, 12, 12});
  const support held = [](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3 && node == index3{1, 1, 1}; ++c) fix(c, 0);
  };
  auto p = make_problem(m, held, bricks_of(m)), alone = make_problem(m, held, MPI_COMM_SELF);
  p.periodic = alone.periodic = {true, true, true};
  const physics::elasticity_load load{.prescribed_mm = {}, .forces = {}, .mean_strain = {0.01, 0, 0, 0, 0.02, 0}};
  const auto s = physics::elasticity_solver(p, {1e-10, 500}, null_log()).solve(load);
  const auto one = physics::elasticity_solver(alone, {1e-10, 500}, null_log()).solve(load);
  EXPECT_TRUE(s.certificate.converged);
  EXPECT_EQ(s.certificate.unknowns, one.certificate.unknowns);
  EXPECT_NEAR(s.certificate.iterations, one.certificate.iterations, 1);
  for_each_node(p, alone, [&](std::int32_t node, std::int32_t same) {
    for (int c = 0; c < 3; ++c) {
      ASSERT_NEAR(s.displacement_mm[static_cast<std::size_t>(3 * node + c)],
                  one.displacement_mm[static_cast<std::size_t>(3 * same + c)], 1e-9);
      ASSERT_NEAR(s.reaction_N[static_cast<std::size_t>(3 * node + c)],
                  one.reaction_N[static_cast<std::size_t>(3 * same + c)], 1e-8);
    }
  });
}

// Oracle: determined by hand. A beam along z that is fixed only on its top line may rotate about that line.
TEST(elastic_bricks, know_where_their_nodes_are) {
  const model m = solid({4, 6, 8});
  const auto p = make_problem(
      m,
      [&](index3 node, const axis_value& fix) {
        if (node.z == 4 && node.y == 3)
          for (int c = 0; c < 3; ++c) fix(c, 0);
      },
      bricks_of(m));
  EXPECT_EQ(physics::free_rigid_motions(p), std::vector<std::string>{"rotation about x"});
}

// Oracle: an invariant. No coarse brick without supports resists a rotation, for any shape of the voxels.
TEST(elastic_bricks, do_not_resist_rotations_on_any_level) {
  model m = solid({16, 16, 16}, {0.5, 2, 1});
  const auto p = make_problem(m, compression(m.shape), MPI_COMM_SELF);
  const numerics::fine_stiffness k(p);
  const grid::block& where = p.where;
  auto mesh = numerics::coarsen(
      MPI_COMM_SELF, {.lattice = {where.domain, p.periodic},
                      .z_begin = 0,
                      .z_end = 16,
                      .node_id = k.ids(),
                      .shared = &k.shared(),
                      .are_voxels = true,
                      .visit_plane = [&](std::int64_t z, const numerics::brick_visitor& v) { k.visit_plane(z, v); }});
  auto matrices = numerics::first_coarse_matrices(p, k, mesh);
  for (int level = 1; level < 3; ++level) {
    int free = 0;
    for (std::size_t i = 0; i < matrices.table.size(); ++i) {
      if (matrices.is_anchored[i]) continue;
      ++free;
      double energy = 0, stiffest = 0;
      std::array<double, 24> u{};  // rotated about x
      for (std::size_t a = 0; a < 8; ++a) {
        u[3 * a] = -m.spacing.y * static_cast<double>(a >> 1 & 1);
        u[3 * a + 1] = m.spacing.z * static_cast<double>(a >> 2);
      }
      for (std::size_t r = 0; r < 24; ++r) {
        stiffest = std::max(stiffest, matrices.table[i](r, r));
        for (std::size_t c = 0; c < 24; ++c) energy += u[r] * matrices.table[i](r, c) * u[c];
      }
      EXPECT_NEAR(energy / stiffest, 0, 1e-12);
    }
    EXPECT_GT(free, 0);
    const grid::shared_nodes shared(MPI_COMM_SELF, mesh.mesh.boundary, {});
    auto next = numerics::coarsen(MPI_COMM_SELF, numerics::children_of(mesh.mesh, shared));
    matrices = numerics::next_coarse_matrices(matrices, mesh.mesh, next, m.spacing);
    mesh = std::move(next);
  }
}

}  // namespace elastic_bricks_test
