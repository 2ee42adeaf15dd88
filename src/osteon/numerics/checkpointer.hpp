#pragma once
/// @file
/// Checkpoints of a long solve. The solver saves its state between iterations and resumes from the saved state.
#include <map>
#include <osteon/grid/plane_points.hpp>
#include <string>
#include <vector>

namespace osteon::numerics {

/// Complete state of the iteration. All members are saved and restored.
struct solver_state {
  std::string solver;  ///< identifies the solve and the interpretation of the numbers
  grid::block where;
  const voxel::run_set* points = nullptr;  ///< points of the vectors, in coordinates local to where.owned
  bool are_nodes = false;
  std::vector<grid::point_vector> vectors;
  std::map<std::string, std::vector<double>> numbers;  ///< finite, equal on all ranks
};

/// Stores the solver states of a job. The solves of a job run one after another in a fixed order.
class checkpointer {
 public:
  enum class found { nothing, running, finished };
  virtual ~checkpointer() = default;

  /// Begin the next solve. @return progress of an earlier run in this solve @collective
  virtual found begin() = 0;
  /// Restore the vectors and numbers found by begin(). On entry, `state` contains the names and shapes of the vectors.
  /// @collective
  virtual void restore(solver_state& state) = 0;
  /// Return true if the solver must save its state now. Called between iterations. @param done iterations or steps so far
  /// @collective
  virtual bool is_due(std::int64_t done) = 0;
  /// Called between steps of the set-up. The set-up has no state to save.
  /// @throws interrupted_error on all ranks if the job must stop @collective
  virtual void pass() {}
  /// Save the state. @throws interrupted_error on all ranks if the job must stop @collective
  virtual void save(const solver_state& state) = 0;
  /// Complete the solve; `state` contains its solution. @throws as save @collective
  virtual void finish(const solver_state& state) = 0;
};

}  // namespace osteon::numerics
