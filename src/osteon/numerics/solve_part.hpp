#pragma once
/// @file
/// Parts of a solve. Message plans list each part once; a solve executes a part repeatedly.
#include <functional>

namespace osteon::numerics {

/// Parts of a solve, in order of execution.
enum class solve_part {
  set_up,     ///< once for each set of supports
  load,       ///< once for each load case
  restart,    ///< once per recomputation of the residual, at least once per load case
  iteration,  ///< once per iteration of conjugate gradients
  // Parts of a preceding problem, if the solution of that problem is the load of this problem.
  earlier_set_up,
  earlier_load,
  earlier_restart,
  earlier_iteration,
};
/// The corresponding part of the preceding problem. @param p one of the first four parts
constexpr solve_part earlier(solve_part p) {
  return static_cast<solve_part>(static_cast<int>(p) + static_cast<int>(solve_part::earlier_set_up));
}
/// Called at the beginning of each part.
using part_listener = std::function<void(solve_part)>;

/// Options for counting the messages of a solve on virtual ranks.
struct message_count {
  part_listener begins;    ///< called at the beginning of each part
  int missing_levels = 0;  ///< elasticity_problem::missing_levels
  int levels = 0;          ///< elasticity_problem::levels
};

}  // namespace osteon::numerics
