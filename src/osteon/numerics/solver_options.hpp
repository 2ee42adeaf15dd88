#pragma once
/// @file
/// How to solve.
#include <osteon/numerics/solve_part.hpp>

namespace osteon::numerics {

class checkpointer;

/// When an iteration ends, and who saves its states.
struct options {
  double tolerance = 1e-6;  ///< stop when |r| <= tolerance |r0|, r0 the residual of the prescribed values and forces alone
  int max_iterations = 500;
  checkpointer* checkpoints = nullptr;  ///< borrowed; null: nothing is saved
  part_listener listener{};             ///< called where a part begins; may be empty

  void begin(solve_part part) const {
    if (listener) listener(part);
  }
};

/// Check the tolerance of a solver of heat or of its transport. @throws usage_error @collective local, the same on all ranks
void check_tolerance(const options& how);

}  // namespace osteon::numerics
