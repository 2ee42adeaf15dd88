#pragma once
/// @file
/// How a long solve lets its state be kept between iterations, so that it can go on after the program was ended.
#include <map>
#include <osteon/grid/plane_points.hpp>
#include <string>
#include <vector>

namespace osteon::numerics {

/// Everything that the iteration goes on from. The same members are written and filled in.
struct solver_state {
  std::string solver;  ///< whose state it is, in which sense of the numbers
  grid::block where;
  const voxel::run_set* points = nullptr;  ///< that the vectors are over, local to where.owned
  bool are_nodes = false;
  std::vector<grid::point_vector> vectors;
  std::map<std::string, std::vector<double>> numbers;  ///< finite, the same on all ranks
};

/// Keeps the states of the solves of a job, which come one after the other in a fixed order.
class checkpointer {
 public:
  enum class found { nothing, running, finished };
  virtual ~checkpointer() = default;

  /// Begin the next solve. @return how far an earlier run has got with it @collective
  virtual found begin() = 0;
  /// Fill in what begin() found: the vectors, whose names and shapes are given, and the numbers. @collective
  virtual void restore(solver_state& state) = 0;
  /// Asked between iterations: whether to save now. @param done iterations or steps so far @collective
  virtual bool is_due(std::int64_t done) = 0;
  /// Called between steps of the setup, which leave nothing to save.
  /// @throws interrupted_error on all ranks if the job is to end here @collective
  virtual void pass() {}
  /// @throws interrupted_error on all ranks if the job is to end here @collective
  virtual void save(const solver_state& state) = 0;
  /// The solve is done; `state` is its answer. @throws as save @collective
  virtual void finish(const solver_state& state) = 0;
};

}  // namespace osteon::numerics
