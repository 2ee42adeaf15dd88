#pragma once
/// @file
/// Parts of a solve, each of which happens a number of times: plans of messages list them one by one.
#include <functional>

namespace osteon::numerics {

/// Parts of a solve, each of which happens a number of times.
enum class solve_part {
  set_up,     ///< once for each set of supports
  load,       ///< once for each load case
  restart,    ///< each time that the residual is computed anew, at least once for a load case
  iteration,  ///< of conjugate gradients
  // The same of a problem whose solution is the load of this one.
  earlier_set_up,
  earlier_load,
  earlier_restart,
  earlier_iteration,
};
/// @param p of the first four
constexpr solve_part earlier(solve_part p) {
  return static_cast<solve_part>(static_cast<int>(p) + static_cast<int>(solve_part::earlier_set_up));
}
/// Called before what belongs to a part.
using part_listener = std::function<void(solve_part)>;

/// How virtual ranks count the messages of a solve.
struct message_count {
  part_listener begins;    ///< called where a part begins
  int missing_levels = 0;  ///< elasticity_problem::missing_levels
};

}  // namespace osteon::numerics
