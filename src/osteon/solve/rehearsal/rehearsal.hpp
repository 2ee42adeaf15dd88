#pragma once
/// @file
/// What a solve sends, without solving: the messages of its set-up happen, those of its iteration are counted.
///
/// On virtual ranks (comm/virtual_ranks.hpp) this tells the plans of a job on any number of ranks. The functions mirror the
/// solvers; tests hold their counts against those of runs.
#include <functional>
#include <osteon/solve/elasticity/elasticity.hpp>
#include <osteon/solve/heat/heat.hpp>

namespace osteon::solve {

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

/// Of elasticity_solver, periodic faces included. What searches for parts without support is not in it, nor what finds the
/// nodes of a load.
/// @throws data_error as the solver's set-up @collective on problem.where.comm
void rehearse_elasticity(const elasticity_problem& problem, const part_listener& begins);

/// Of solve_heat for a steady problem without periodic faces.
/// @throws data_error as find_heated_parts @collective on problem.where.comm
void rehearse_heat(const heat_problem& problem, const part_listener& begins);

}  // namespace osteon::solve
