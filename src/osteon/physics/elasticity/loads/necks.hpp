#pragma once
/// @file
/// Where a solid hangs on single voxels: places at which a slightly other threshold cuts it.
#include <cstdint>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Whether a voxel is all that joins its neighbours: without it, its solid neighbours across faces are no longer joined by
/// faces among the 18 voxels that share a face or an edge with it. Of rods of one voxel all, of plates none.
/// @return per active cell 1 or 0, the same for any number of ranks
/// @collective on part.where.comm @cost one exchange of ghosts; 8 bytes a voxel of the box for the time being
std::vector<std::uint8_t> find_necks(const local_model& part);

}  // namespace osteon::physics
