#pragma once
/// @file
/// Necks of a solid: single voxels that connect its parts and that a slightly different threshold removes.
#include <cstdint>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Find the voxels that alone connect their neighbours: without such a voxel, its solid neighbours across faces are no
/// longer connected by faces among the 18 voxels that share a face or an edge with it. In a rod of one voxel all are necks,
/// in a plate none.
/// @return per active cell 1 or 0, the same for any number of ranks
/// @collective on part.where.comm @cost one exchange of ghosts; 8 bytes per voxel of the box temporarily
std::vector<std::uint8_t> find_necks(const local_model& part);

}  // namespace osteon::physics
