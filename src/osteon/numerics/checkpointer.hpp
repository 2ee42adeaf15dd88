#pragma once
/// @file
/// Checkpoints of a long solve: the state between iterations is saved, so that the solve can be resumed.
#include <map>
#include <osteon/grid/plane_points.hpp>
#include <string>
#include <vector>

namespace osteon::numerics {

/// Complete state of the iteration. Saving and restoring use the same members.
struct solver_state {
  std::string solver;  ///< identifies the solve and the interpretation of the numbers
  grid::block where;
  const voxel::run_set* points = nullptr;  ///< the vectors are defined over it, local to where.owned
  bool are_nodes = false;
  std::vector<grid::point_vector> vectors;
  std::map<std::string, std::vector<double>> numbers;  ///< finite, the same on all ranks
};

/// Stores the states of the solves of a job, which run one after the other in a fixed order.
class checkpointer {
 public:
  enum class found { nothing, running, finished };
  virtual ~checkpointer() = default;

  /// Begin the next solve. @return progress of an earlier run in this solve @collective
  virtual found begin() = 0;
  /// Restore the state found by begin(): the vectors, whose names and shapes are given, and the numbers. @collective
  virtual void restore(solver_state& state) = 0;
  /// Called between iterations; returns whether to save now. @param done iterations or steps so far @collective
  virtual bool is_due(std::int64_t done) = 0;
  /// Called between steps of the set-up, during which there is no state to save.
  /// @throws interrupted_error on all ranks if the job is to end here @collective
  virtual void pass() {}
  /// @throws interrupted_error on all ranks if the job is to end here @collective
  virtual void save(const solver_state& state) = 0;
  /// Complete the solve; `state` contains its solution. @throws as save @collective
  virtual void finish(const solver_state& state) = 0;
};

}  // namespace osteon::numerics
