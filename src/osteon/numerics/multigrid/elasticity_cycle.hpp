#pragma once
/// @file
/// The shape of the elasticity solver's multigrid cycle: how often it smooths and visits each level.
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace osteon::numerics::elasticity_cycle {

/// Degree of the smoothing polynomials, before and after. Coarse levels are visited more often, so they smooth less.
inline int smoothing_degree(std::size_t depth) { return depth == 0 ? 3 : 2; }

inline constexpr std::int64_t coarsest_unknowns = 4000;  ///< a direct solution costs less than a level of smoothing

/// Cycles by which a coarse problem is solved, combined by a Chebyshev polynomial. A strut bends in ways that only the finer
/// lattices represent well, and a part on it moves with it, so one cycle would leave much of a coarse problem
/// unsolved. Each level costs a fifth of the one above; from the sixth on more cycles would only multiply the messages.
inline int cycles_of_level(std::size_t depth) {
  constexpr int cycles[] = {1, 3, 2, 4, 2, 2};
  return depth < std::size(cycles) ? cycles[depth] : 1;
}

inline constexpr int lanczos_steps_of_smoother = 10, lanczos_steps_of_cycle = 8;

}  // namespace osteon::numerics::elasticity_cycle
