#pragma once
/// @file
/// Necks of a solid. A neck is a single voxel that connects parts of the solid. A slightly different threshold can remove
/// a neck.
#include <cstdint>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Find the necks. The neighbourhood of a voxel consists of the 18 voxels that share a face or an edge with the voxel. The
/// voxel is a neck if common faces of voxels within the neighbourhood do not connect all solid face neighbours of the
/// voxel. All voxels of a rod that is one voxel thick are necks. A plate has no necks.
/// @return 1 for a neck and 0 otherwise, per active cell; the result is independent of the number of ranks
/// @collective on part.where.comm @cost one exchange of ghosts; 8 bytes per voxel of the box temporarily
std::vector<std::uint8_t> find_necks(const local_model& part);

}  // namespace osteon::physics
