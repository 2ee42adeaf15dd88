#include <gtest/gtest.h>

#include <map>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/virtual_ranks.hpp>

#include "elastic_model.hpp"

namespace elasticity_messages_test {

using namespace osteon;
using namespace osteon::elastic_model;
using numerics::solve_part;

struct traffic {
  std::int64_t runs = 0, messages = 0, bytes = 0;
  friend bool operator==(const traffic&, const traffic&) = default;
};
using parts = std::map<solve_part, std::map<std::string, traffic>>;

/// Message counts of virtual ranks, by part and plan. @param first first planes of the ranks, and the end of the last rank
parts counted(const model& m, const std::vector<std::int64_t>& first, int missing_levels = 0) {
  const int ranks = static_cast<int>(first.size()) - 1;
  const grid::box_tree boxes = grid::box_tree::of_planes(m.shape, first);
  std::map<solve_part, std::vector<comm::message_ledger>> ledgers;
  for (const solve_part p : {solve_part::set_up, solve_part::load, solve_part::restart, solve_part::iteration})
    ledgers[p].resize(static_cast<std::size_t>(ranks));
  comm::run_virtual_ranks(ranks, [&](MPI_Comm comm) {
    const auto me = static_cast<std::size_t>(comm::rank(comm));
    physics::count_messages(make_problem(
                                m, [](index3, const axis_value&) {}, grid::make_block(comm, boxes)),
                            {.begins = [&](solve_part p) { comm::attachment_of(comm)->ledger = &ledgers[p][me]; },
                             .missing_levels = missing_levels});
  });
  parts all;
  for (const auto& [part, by_rank] : ledgers)
    for (const comm::plan_traffic& t : comm::traffic_of(by_rank)) {
      EXPECT_TRUE(t.problems.empty()) << t.plan;
      all[part][t.plan] = {t.runs, t.messages, t.bytes};
    }
  return all;
}

/// A model in which each voxel is refined to a cube of eight voxels.
model refined(const model& m) {
  model fine = solid(m.shape + m.shape);
  for (std::int64_t z = 0; z < fine.shape.z; ++z)
    for (std::int64_t y = 0; y < fine.shape.y; ++y)
      for (std::int64_t x = 0; x < fine.shape.x; ++x)
        fine.at(z, y, x) = m.voxels[static_cast<std::size_t>((z / 2 * m.shape.y + y / 2) * m.shape.x + x / 2)];
  return fine;
}

std::map<std::string, traffic> without_voxels(std::map<std::string, traffic> plans) {
  std::erase_if(plans, [](const auto& p) { return p.first.starts_with("nodes of level 0"); });
  return plans;
}

// Oracle: the same solid with voxels half as large. From level 1 on, the bricks of the fine model are the voxels of the
// coarse model, so that all messages are equal. The number of messages of level 0 is also equal.
TEST(elasticity_messages, of_missing_levels_are_those_of_the_whole_image) {
  const model coarse = porous(16), fine = refined(coarse);
  for (const std::vector<std::int64_t>& first : {std::vector<std::int64_t>{0, 9, 16}, {0, 3, 4, 8, 11, 16}}) {
    std::vector<std::int64_t> first_of_fine;
    for (const std::int64_t z : first) first_of_fine.push_back(2 * z);
    parts whole = counted(fine, first_of_fine), thinned = counted(coarse, first, 1);
    for (const solve_part part : {solve_part::load, solve_part::restart, solve_part::iteration}) {
      EXPECT_EQ(without_voxels(whole[part]), without_voxels(thinned[part]));
      for (const auto& [name, all] : whole[part]) {
        EXPECT_EQ(all.runs, thinned[part][name].runs) << name;
        EXPECT_EQ(all.messages, thinned[part][name].messages) << name;
      }
    }
    EXPECT_TRUE(whole[solve_part::iteration].contains("nodes of level 1, 12 B"));
    EXPECT_GT(whole[solve_part::iteration].at("coarsest level to rank 0, 16 B").runs, 1);
  }
}

// Oracle: elasticity_cycle.hpp, evaluated by hand. A cycle has six products of the voxels, and there is one product in
// double precision. No value is sent, so that neither supports nor a separate rank are needed.
TEST(elasticity_messages, of_the_voxels_are_seven_products_an_iteration) {
  parts found = counted(porous(16), {0, 5, 11, 16});
  auto& iteration = found[solve_part::iteration];
  EXPECT_EQ(iteration.at("nodes of level 0, 12 B").runs, 6);
  EXPECT_EQ(iteration.at("nodes of level 0, 24 B").runs, 1);
  // each rank of planes has two neighbours, with messages in each direction
  EXPECT_EQ(iteration.at("nodes of level 0, 12 B").messages, 6 * 4);
  EXPECT_EQ(iteration.at("reductions, 8 B").runs, 3);
}

}  // namespace elasticity_messages_test
