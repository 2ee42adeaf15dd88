#pragma once
/// @file
/// Blocks of voxels owned by ranks, and distribution of z planes.
#include <mpi.h>

#include <cstdint>
#include <memory>
#include <osteon/grid/box_tree.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::grid {

/// Part of the domain owned by a rank: complete z planes, or a brick. Every rank owns at least one voxel; possibly no active
/// one.
struct block {
  MPI_Comm comm = MPI_COMM_NULL;            ///< borrowed
  index3 domain;                            ///< voxels of the whole image (z, y, x)
  box3 owned;                               ///< the voxels of this rank
  int below = MPI_PROC_NULL;                ///< rank that owns the plane under owned.begin.z; only for whole planes
  int above = MPI_PROC_NULL;                ///< rank that owns the plane owned.end.z; only for whole planes
  std::shared_ptr<const box_tree> boxes{};  ///< boxes of all ranks; null: no tree (sufficient for pictures only)

  /// True if all ranks own whole z planes.
  bool is_planes() const { return boxes->is_planes(); }
};

/// Error message for `ranks` ranks and an image of `planes` planes.
std::string too_many_ranks(std::int64_t ranks, std::int64_t planes);

/// First plane of each rank, and the number of planes at the end: ranks + 1 values.
///
/// Minimises the largest number of active voxels on a rank, as PARA-BMU balances its planes; deterministic.
/// @param active_per_plane active voxels of each z plane, shape (z)
/// @throws usage_error if there are more ranks than planes
/// @cost O(planes log(active)) time, O(ranks) memory
std::vector<std::int64_t> balance_planes(std::span<const std::int64_t> active_per_plane, int ranks);

/// The block of this rank.
/// @param active_per_plane the same on all ranks, one value for each of the domain's planes
/// @throws usage_error on all ranks, without communication @collective on comm
block make_block(MPI_Comm comm, index3 domain, std::span<const std::int64_t> active_per_plane);

/// Block of this rank, one of the boxes of the tree.
/// @param boxes the same on all ranks, a box for each rank of comm @collective local
block make_block(MPI_Comm comm, box_tree boxes);

/// Ranks that may share a node with this one: those with adjacent boxes (including corners) after both are extended to
/// aligned bricks of 2^level voxels. Ascending, without this rank; symmetric.
/// @param periodic the last plane of nodes along an axis is the first one
/// @collective local @cost O(log(ranks)) per rank found
std::vector<int> touching_ranks(const block& where, int level = 0, const std::array<bool, 3>& periodic = {});

}  // namespace osteon::grid
