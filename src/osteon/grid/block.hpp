#pragma once
/// @file
/// Blocks of voxels owned by ranks, and distribution of z planes over ranks.
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <osteon/grid/box_tree.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Part of the domain owned by a rank: complete z planes, or a brick. Every rank owns at least one voxel. A rank may own no
/// active voxel.
struct block {
  MPI_Comm comm = MPI_COMM_NULL;            ///< borrowed
  index3 domain;                            ///< voxels of the whole image (z, y, x)
  box3 owned;                               ///< the voxels of this rank
  int below = MPI_PROC_NULL;                ///< rank that owns the plane under owned.begin.z; only for whole planes
  int above = MPI_PROC_NULL;                ///< rank that owns the plane owned.end.z; only for whole planes
  std::shared_ptr<const box_tree> boxes{};  ///< boxes of all ranks; may be null for pictures

  /// True if all ranks own whole z planes.
  bool is_planes() const { return boxes->is_planes(); }
};

/// Error message for `ranks` ranks and an image of `planes` planes.
std::string too_many_ranks(std::int64_t ranks, std::int64_t planes);

/// First plane of each rank, followed by the number of planes: ranks + 1 values.
///
/// The division minimises the largest number of active voxels on a rank, as in PARA-BMU. The result is deterministic.
/// @param active_per_plane active voxels of each z plane, shape (z)
/// @throws usage_error if there are more ranks than planes
/// @cost O(planes log(active)) time, O(ranks) memory
std::vector<std::int64_t> balance_planes(std::span<const std::int64_t> active_per_plane, int ranks);

/// The block of this rank, balanced by planes. @param active_per_plane one value per plane of the domain, equal on all ranks
/// @throws usage_error on all ranks, without communication @collective on comm
block make_block(MPI_Comm comm, index3 domain, std::span<const std::int64_t> active_per_plane);

/// The block of this rank: its box in the tree. @param boxes one box per rank of comm, equal on all ranks @collective local
block make_block(MPI_Comm comm, box_tree boxes);

/// Ranks that may share a node with this rank, in ascending order. All boxes are extended to aligned bricks of 2^level
/// voxels; ranks with boxes adjacent to this rank's box (also at a corner) may share nodes. The relation is symmetric.
/// @param periodic per axis: the last plane of nodes is identical to the first
/// @collective local @cost O(log(ranks)) per rank found
std::vector<int> adjacent_ranks(const block& where, int level = 0, const std::array<bool, 3>& periodic = {});

/// As adjacent_ranks, for groups of consecutive ranks. Returns the groups that may share a node with the group of the ranks
/// begin ... end - 1.
/// @param group_of group of a rank, not decreasing with the rank
/// @collective local @cost O(log(ranks)) per rank of the group and per group found
std::vector<int> touching_groups(const block& where, int level, const std::array<bool, 3>& periodic, int begin, int end,
                                 const std::function<int(int rank)>& group_of);

}  // namespace osteon::grid
