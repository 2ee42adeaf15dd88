#pragma once
/// @file
/// The halo of a level of aggregates, derived from the halo of the finer level.
#include <osteon/numerics/operators/halo.hpp>
#include <vector>

namespace osteon::numerics {

struct coarse_halo {
  halo between;                        ///< halo of the aggregates; ghosts are numbered after the owned aggregates
  std::int32_t ghosts = 0;             ///< number of aggregates of other ranks that contain ghosts of the finer level
  std::vector<std::int32_t> of_ghost;  ///< per ghost of the finer level: number of its aggregate on this rank
};

/// Build the halo of the aggregates. Each aggregate belongs to one rank.
/// @param fine ghosts are numbered after the owned points @param parent aggregate of each owned point
/// @param owned number of aggregates of this rank @param ghosts number of ghosts of the finer level
/// @collective on fine.comm (with the linked ranks only)
coarse_halo make_coarse_halo(const halo& fine, const std::vector<std::int32_t>& parent, std::int32_t owned,
                             std::int32_t ghosts);

}  // namespace osteon::numerics
