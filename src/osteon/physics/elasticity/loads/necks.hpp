#pragma once
/// @file
/// Necks of a solid: single voxels that connect its parts and that a slightly different threshold may remove.
#include <cstdint>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Find the voxels that alone connect their face neighbours. Without a neck, its solid face neighbours are not connected by
/// faces within the 18 voxels that share a face or an edge with the neck. All voxels of a rod of one voxel thickness are
/// necks; a plate has no necks.
/// @return per active cell 1 or 0, the same for any number of ranks
/// @collective on part.where.comm @cost one exchange of ghosts; 8 bytes per voxel of the box temporarily
std::vector<std::uint8_t> find_necks(const local_model& part);

}  // namespace osteon::physics
