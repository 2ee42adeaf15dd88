#pragma once
/// @file
/// Bricks and fields for tests of decompositions.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/grid/bricks.hpp>
#include <vector>

namespace osteon::sample {

/// Boxes for all ranks of MPI_COMM_WORLD. The boxes are balanced for `voxels` (or for a full domain if `voxels` is empty),
/// whose shape is domain.
inline grid::box_tree bricks(index3 domain, const std::vector<material_number>& voxels) {
  const std::vector<material_number> full(static_cast<std::size_t>(domain.volume()), 1);
  return grid::balance_bricks(MPI_COMM_SELF, domain, {{}, domain}, {voxels.empty() ? full.data() : voxels.data(), domain},
                              comm::size(MPI_COMM_WORLD));
}

/// The global number of each voxel of a box.
template <class T>
std::vector<T> numbers(index3 domain, const box3& box) {
  std::vector<T> result;
  for (std::int64_t z = box.begin.z; z < box.end.z; ++z)
    for (std::int64_t y = box.begin.y; y < box.end.y; ++y)
      for (std::int64_t x = box.begin.x; x < box.end.x; ++x)
        result.push_back(static_cast<T>((z * domain.y + y) * domain.x + x));
  return result;
}

}  // namespace osteon::sample
