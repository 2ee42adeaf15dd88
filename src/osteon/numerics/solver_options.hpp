#pragma once
/// @file
/// Solver options.
#include <osteon/numerics/solve_part.hpp>

namespace osteon::numerics {

class checkpointer;

/// Stopping criterion of an iteration, and the checkpointer of its states.
struct options {
  double tolerance =
      1e-6;  ///< stop if |r| <= tolerance |r0|, where r0 is the residual of prescribed values and forces for zero unknowns
  int max_iterations = 500;
  checkpointer* checkpoints = nullptr;  ///< borrowed; null: no checkpoints
  part_listener listener{};             ///< called at the beginning of each part; may be empty

  void begin(solve_part part) const {
    if (listener) listener(part);
  }
};

/// Check the tolerance of a heat or transport solver. @throws usage_error @collective local, equal on all ranks
void check_tolerance(const options& how);

}  // namespace osteon::numerics
