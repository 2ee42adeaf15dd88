#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/numerics/multigrid/agglomeration.hpp>
#include <osteon/numerics/multigrid/elasticity_cycle.hpp>
#include <osteon/plan/plan.hpp>

#include "elastic_model.hpp"
#include "grid/sample_bricks.hpp"

namespace agglomeration_test {

using namespace osteon;
using namespace osteon::elastic_model;
using numerics::solve_part;

constexpr std::int64_t never = 0, always = 1'000'000'000;

support compression(index3 shape) {
  return [=](index3 node, const axis_value& fix) {
    if (node.z != 0 && node.z != shape.z) return;
    for (int c = 0; c < 3; ++c) fix(c, c == 0 && node.z != 0 ? -0.1 : 0.0);
  };
}

struct answer {
  int iterations;
  double work_N_mm;
  std::vector<double> displacement_mm;
};

answer solve(numerics::elasticity_problem p, std::optional<std::int64_t> fewest) {
  p.fewest_nodes_of_rank = fewest;
  const auto s = solved(p, 1e-12);
  EXPECT_TRUE(s.certificate.converged);
  double work = 0;
  for (std::size_t i = 0; i < s.displacement_mm.size(); ++i)
    if (!std::binary_search(s.copies.begin(), s.copies.end(), static_cast<std::int32_t>(i / 3)))
      work += s.displacement_mm[i] * s.reaction_N[i];
  MPI_Allreduce(MPI_IN_PLACE, &work, 1, MPI_DOUBLE, MPI_SUM, p.where.comm);
  return {s.certificate.iterations, work, s.displacement_mm};
}

void expect_equal(const answer& one, const answer& other) {
  EXPECT_EQ(one.iterations, other.iterations);
  EXPECT_NEAR(one.work_N_mm / other.work_N_mm, 1, 1e-12);
  ASSERT_EQ(one.displacement_mm.size(), other.displacement_mm.size());
  for (std::size_t i = 0; i < one.displacement_mm.size(); ++i)
    ASSERT_NEAR(one.displacement_mm[i], other.displacement_mm[i], 1e-10);
}

// Oracle: the solution without agglomeration. All levels move to rank 0, or some levels move to some ranks.
TEST(agglomeration, gives_the_same_answer_in_as_many_iterations) {
  const model m = porous(28);
  for (const bool is_cut_in_bricks : {false, true}) {
    const auto p = is_cut_in_bricks ? make_problem(m, compression(m.shape),
                                                   grid::make_block(MPI_COMM_WORLD, sample::bricks(m.shape, m.voxels)))
                                    : make_problem(m, compression(m.shape));
    const answer without = solve(p, never);
    for (const std::int64_t fewest : {std::int64_t{400}, std::int64_t{1500}, always})
      expect_equal(solve(p, fewest), without);
  }
}

// Oracle: the solution without agglomeration. Bricks of many moduli have matrices that are computed on demand.
TEST(agglomeration, moves_bricks_of_many_materials) {
  model m = porous(24);
  m.materials = {{}};
  for (int i = 1; i <= 60; ++i) m.materials.push_back({"graded", 1.0 + i, 0.3});
  for (std::size_t i = 0; i < m.voxels.size(); ++i)
    if (m.voxels[i] != 0) m.voxels[i] = static_cast<material_number>(1 + i * 7 % 60);
  const auto p = make_problem(m, compression(m.shape));
  expect_equal(solve(p, always), solve(p, never));
}

// Oracle: the solution without agglomeration. The last of the bricks of 33, 14 and 21 voxels have their own lengths. Nodes
// on opposite faces are copies of one node.
TEST(agglomeration, keeps_periodic_faces) {
  model m = solid({33, 14, 21}, {0.9, 1.0, 1.2});
  for (std::int64_t z = 0; z < m.shape.z; ++z)
    for (std::int64_t y = 0; y < m.shape.y; ++y)
      for (std::int64_t x = 0; x < m.shape.x; ++x)
        m.at(z, y, x) = static_cast<material_number>((z % 11 < 4) + (y % 7 < 3) + (x % 7 < 3) >= 2 ? 1 + z % 2 : 0);
  auto p = make_problem(m, [](index3 node, const axis_value& fix) {
    for (int c = 0; c < 3 && node == index3{1, 1, 1}; ++c) fix(c, 0);
  });
  p.periodic = {true, true, true};
  const physics::elasticity_load load{.prescribed_mm = {}, .forces = {}, .mean_strain = {0.01, 0, 0, 0, 0.02, 0}};
  std::vector<physics::elasticity_solution> answers;
  for (const std::int64_t fewest : {never, std::int64_t{300}, always}) {
    p.fewest_nodes_of_rank = fewest;
    answers.push_back(physics::elasticity_solver(p, {1e-12, 500}, null_log()).solve(load));
    EXPECT_TRUE(answers.back().certificate.converged);
    EXPECT_EQ(answers.back().certificate.iterations, answers.front().certificate.iterations);
    for (std::size_t i = 0; i < answers.front().displacement_mm.size(); ++i)
      ASSERT_NEAR(answers.back().displacement_mm[i], answers.front().displacement_mm[i], 1e-10);
  }
}

struct traffic {
  std::int64_t runs, messages, bytes;
  friend bool operator==(const traffic&, const traffic&) = default;
};
using plans = std::map<std::string, traffic>;

// Verified messages of an iteration.
plans of_iteration(const std::vector<comm::message_ledger>& by_rank, std::int64_t iterations) {
  plans all;
  for (const comm::plan_traffic& t : comm::traffic_of(by_rank)) {
    EXPECT_TRUE(t.problems.empty()) << t.plan;
    all[t.plan] = {t.runs / iterations, t.messages / iterations, t.bytes / iterations};
  }
  return all;
}

// Oracle: the messages of a run. Virtual ranks execute the same code without values.
TEST(agglomeration, is_counted_by_virtual_ranks_as_by_a_run) {
  const model m = porous(30);
  const int ranks = comm::size(MPI_COMM_WORLD);
  const grid::box_tree boxes = sample::bricks(m.shape, m.voxels);
  for (const std::int64_t fewest : {never, std::int64_t{400}, always}) {
    auto p = make_problem(m, compression(m.shape), grid::make_block(MPI_COMM_WORLD, boxes));
    p.fewest_nodes_of_rank = fewest;
    comm::attached_ledger all(MPI_COMM_WORLD);
    comm::message_ledger own;
    comm::attachment* const attached = comm::attachment_of(MPI_COMM_WORLD);
    physics::options how{1e-6, 500};
    how.listener = [&](solve_part part) { attached->ledger = part == solve_part::iteration ? &own : &all.get(); };
    const int iterations = physics::solve_elasticity(p, how, null_log()).certificate.iterations;
    attached->ledger = &all.get();
    const auto ran = comm::gathered(MPI_COMM_WORLD, own);
    if (comm::rank(MPI_COMM_WORLD) != 0) continue;

    std::vector<comm::message_ledger> planned(static_cast<std::size_t>(ranks)), others(planned.size());
    comm::run_virtual_ranks(ranks, [&](MPI_Comm comm) {
      const auto me = static_cast<std::size_t>(comm::rank(comm));
      auto q = make_problem(m, [](index3, const axis_value&) {}, grid::make_block(comm, boxes));
      q.fewest_nodes_of_rank = fewest;
      physics::count_messages(std::move(q), {.begins = [&](solve_part part) {
                                comm::attachment_of(comm)->ledger =
                                    part == solve_part::iteration ? &planned[me] : &others[me];
                              }});
    });
    const plans found = of_iteration(planned, 1);
    EXPECT_EQ(found, of_iteration(ran, iterations));
    EXPECT_EQ(found.contains("level 1 to 1 ranks, 16 B"), fewest == always && ranks > 1);
    if (fewest == always && ranks <= 8)  // one rank has all levels below the voxels
      for (const auto& [name, t] : found) {
        EXPECT_TRUE(t.messages == 0 || name.starts_with("nodes of level 0") || name.starts_with("level 1 ") ||
                    name.starts_with("reductions"))
            << name;
      }
  }
}

// Oracle: times computed by hand. A level has 24 x 18 x 18 bricks, with 30 nodes on each of 512 ranks. On these ranks, a
// computation of the level takes 51 us. It takes 55 us on 64 ranks, and 21 us on 16 ranks of one host. With 2,000 nodes the
// computation takes longer than the exchange.
TEST(agglomeration, selects_the_ranks_with_the_least_time) {
  constexpr double places = 24 * 18 * 18;
  EXPECT_EQ(numerics::elasticity_cycle::cheapest_ranks(30, places, 512), 16);
  EXPECT_EQ(numerics::elasticity_cycle::cheapest_ranks(2000, 512 * places, 512), 512);
  EXPECT_EQ(numerics::elasticity_cycle::cheapest_ranks(300, places, 2), 2);
  EXPECT_EQ(numerics::elasticity_cycle::cheapest_ranks(8, 1, 4), 1);
  EXPECT_EQ(numerics::elasticity_cycle::cheapest_ranks(30, places, 1), 1);
}

// Oracle: determined by hand. 20 ranks have a level, then 3 ranks, then 1 rank. The parts of ranks 0-6, 7-13 and 14-19 move
// to ranks 0, 1 and 2.
TEST(agglomeration, assigns_consecutive_ranks_to_a_holder) {
  numerics::holding_ranks holders(20);
  EXPECT_EQ(holders.holder_of(19), 19);
  holders.reduce();
  EXPECT_EQ(holders.count(), 3);
  std::vector<int> holder_of;
  for (int r = 0; r < 20; ++r) holder_of.push_back(holders.holder_of(r));
  EXPECT_EQ(holder_of, (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
  for (int h = 0; h <= 3; ++h)
    EXPECT_EQ(holders.first_of(h), std::lower_bound(holder_of.begin(), holder_of.end(), h) - holder_of.begin());
  holders.reduce();
  EXPECT_EQ(holders.count(), 1);
  EXPECT_EQ(holders.holder_of(19), 0);
  EXPECT_EQ(holders.first_of(1), 20);
}

}  // namespace agglomeration_test
