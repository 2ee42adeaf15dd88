#pragma once
/// @file
/// Estimates of the messages and the computation on the levels of the elasticity solver, for any number of ranks. The
/// estimates use the agglomeration rule of numerics/multigrid/agglomeration.hpp.
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/job/plans/message_times.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Sizes of the levels of the elasticity solver.
struct level_sizes {
  index3 shape;               ///< shape of the image in voxels
  std::vector<double> nodes;  ///< number of nodes on each level; the finest level is first
  int last() const { return static_cast<int>(nodes.size()) - 1; }
};

/// Estimated number of nodes on each level. The estimate uses the number of nodes of the voxels.
std::vector<double> usual_nodes_of_levels(double nodes);
/// Number of nodes on each level, counted in an image. @param image material numbers, shape `shape`
/// @collective local, with MPI as in plans_of_job
std::vector<double> counted_nodes_of_levels(index3 shape, const std::vector<material_number>& image);

/// Ranks that store a level. The members are the numbers of ranks before and after each move of the level to fewer ranks,
/// and the number of nodes of a rank including copies.
struct level_place {
  std::vector<int> holders;
  double nodes_of_rank = 0;
};
std::vector<level_place> place_levels(const level_sizes& sizes, int ranks);

/// Level of the elasticity solver to which a plan belongs. Such a plan is an exchange of nodes, or a move of the level. If
/// the plan belongs to no level, the result is -1.
int level_of_plan(const std::string& plan);

/// True if place_on_ranks replaces a plan. These plans are exchanges and moves of levels below the finest level, and plans
/// of the solution on the coarsest level.
bool is_placed(const std::string& plan);

/// Replace the plans of all levels below the finest level, and the plans of the solution on the coarsest level, by plans on
/// `ranks` ranks. The numbers of executions do not change.
void place_on_ranks(std::vector<job_part>& parts, const level_sizes& sizes, int ranks);

/// Time in seconds on one core that agglomeration adds to one iteration. This time is needed for the nodes of a rank in
/// excess of an equal part of a level, and for the direct solution on the coarsest level.
double seconds_of_few_ranks(const level_sizes& sizes, int ranks, std::span<const plan_time> iteration);

}  // namespace osteon::job
