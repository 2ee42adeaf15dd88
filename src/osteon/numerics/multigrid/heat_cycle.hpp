#pragma once
/// @file
/// Parameters of the heat solver's multigrid cycle: numbers of sweeps, and the levels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace osteon::numerics::heat_cycle {

inline constexpr int cell_sweeps = 2;  ///< number of Gauss-Seidel sweeps on the cells, before and after the correction

/// First plane of a colour (0 or 1) in a block that begins at plane `begin` of the image; planes have alternating colours.
/// The forward sweep processes even planes of the image first; the backward sweep processes even planes last.
inline std::int64_t first_plane(std::int64_t begin, int colour, bool is_back) {
  return (begin + colour + (is_back ? 1 : 0)) & 1;
}

/// Number of Jacobi sweeps on coarse level 1, 2, ... before and after the correction, at most 32. With fewer sweeps, the
/// number of iterations of the solver grows with the image size (measured on porous images of 64^3 to 192^3 cells).
inline int smoothing_sweeps(std::size_t level) { return 4 << std::min<std::size_t>(level, 3); }

inline constexpr std::int64_t direct_limit = 1500;    ///< maximum number of unknowns of the level that rank 0 factorises; a
                                                      ///< factorisation of this size is less work than a further level
inline constexpr std::int64_t gather_limit = 100000;  ///< maximum number of unknowns that are gathered on rank 0 if ranks
                                                      ///< cannot coarsen further

/// Return true if a level with this number of unknowns has a coarser level on all ranks. @param before number of unknowns of
/// the next finer level
inline bool coarsens(std::int64_t unknowns, std::int64_t before) {
  return unknowns > direct_limit && (unknowns > gather_limit || 3 * unknowns < 2 * before);
}

inline std::string name_of_level(std::size_t level) { return "aggregates of level " + std::to_string(level); }

}  // namespace osteon::numerics::heat_cycle
