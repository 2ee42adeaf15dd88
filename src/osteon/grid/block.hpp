#pragma once
/// @file
/// Blocks of voxels that ranks own, and distribution of z planes over ranks.
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <osteon/grid/box_tree.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Part of the domain that a rank owns. The part consists of complete z planes, or is a brick. Every rank owns at least one
/// voxel. A rank may own no active voxels.
struct block {
  MPI_Comm comm = MPI_COMM_NULL;            ///< borrowed
  index3 domain;                            ///< shape (z, y, x) of the whole image in voxels
  box3 owned;                               ///< the voxels that this rank owns
  int below = MPI_PROC_NULL;                ///< rank that owns the plane below owned.begin.z; only for complete planes
  int above = MPI_PROC_NULL;                ///< rank that owns the plane owned.end.z; only for complete planes
  std::shared_ptr<const box_tree> boxes{};  ///< boxes of all ranks; may be null for rendering

  /// True if all ranks own complete z planes.
  bool is_planes() const { return boxes->is_planes(); }
};

/// Error message for an image with fewer planes than ranks.
std::string too_many_ranks(std::int64_t ranks, std::int64_t planes);

/// First plane of each rank, followed by the number of planes. The result has ranks + 1 values.
///
/// The division minimises the largest number of active voxels on a rank, like PARA-BMU. The result is deterministic.
/// @param active_per_plane number of active voxels of each z plane, shape (z)
/// @throws usage_error if there are more ranks than planes
/// @cost O(planes log(active)) time, O(ranks) memory
std::vector<std::int64_t> balance_planes(std::span<const std::int64_t> active_per_plane, int ranks);

/// The block of this rank, with complete planes. @param active_per_plane number of active voxels of each plane of the
/// domain, equal on all ranks
/// @throws usage_error on all ranks, without communication @collective on comm
block make_block(MPI_Comm comm, index3 domain, std::span<const std::int64_t> active_per_plane);

/// The block of this rank is the box of the rank in the tree. @param boxes one box per rank of comm, equal on all ranks
/// @collective local
block make_block(MPI_Comm comm, box_tree boxes);

/// Ranks that may have a node in common with this rank, in ascending order. The boxes of all ranks are extended to aligned
/// bricks of 2^level voxels. Two ranks may have common nodes if their extended boxes touch, also at a corner. The relation
/// is symmetric.
/// @param periodic for each axis: true if the last plane of nodes is identical to the first plane
/// @collective local @cost O(log(ranks)) per rank in the result
std::vector<int> adjacent_ranks(const block& where, int level = 0, const std::array<bool, 3>& periodic = {});

/// Groups of ranks that may have a node in common with the group of the ranks [begin, end). This function extends
/// adjacent_ranks to groups of consecutive ranks.
/// @param group_of group of a rank; must not decrease with the rank
/// @collective local @cost O(log(ranks)) per rank of the group and per group in the result
std::vector<int> touching_groups(const block& where, int level, const std::array<bool, 3>& periodic, int begin, int end,
                                 const std::function<int(int rank)>& group_of);

}  // namespace osteon::grid
