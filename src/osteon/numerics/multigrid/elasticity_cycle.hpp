#pragma once
/// @file
/// Parameters of the elasticity solver's multigrid cycle: smoothing degrees and number of cycles per level.
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace osteon::numerics::elasticity_cycle {

/// Degree of the smoothing polynomials before and after the coarse correction. Coarse levels have more cycles and smooth
/// less.
inline int smoothing_degree(std::size_t depth) { return depth == 0 ? 3 : 2; }

inline constexpr std::int64_t coarsest_unknowns = 4000;  ///< a direct solution costs less than a level of smoothing

/// Number of cycles for a coarse problem, combined by a Chebyshev polynomial. Only fine lattices represent the bending of a
/// strut well, and the parts attached to the strut move with it; a single cycle would leave a large error in a coarse
/// problem. Each level costs a fifth of the next finer level; from the sixth level on, further cycles would only multiply
/// the messages.
inline int cycles_of_level(std::size_t depth) {
  constexpr int cycles[] = {1, 3, 2, 4, 2, 2};
  return depth < std::size(cycles) ? cycles[depth] : 1;
}

inline constexpr int lanczos_steps_of_smoother = 10, lanczos_steps_of_cycle = 8;

}  // namespace osteon::numerics::elasticity_cycle
