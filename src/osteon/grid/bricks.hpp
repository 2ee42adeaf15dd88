#pragma once
/// @file
/// Partitioning of a domain into boxes, balanced along all three axes.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <string>

namespace osteon::grid {

/// Error message, with remedy, for more ranks than an image allows.
std::string too_many_ranks(std::int64_t ranks, index3 domain);

/// Choose a cut that divides a box between two halves of the ranks.
///
/// Candidates are all cuts across the three axes for which the largest load of a rank is at most 1 + slack times the
/// minimum. The candidate through the fewest active voxels is chosen, because ranks exchange values at the faces of these
/// voxels. No side has fewer voxels than ranks. A side has fewer active voxels than ranks only if every cut has such a side.
/// @param active active voxels of each plane of the box across z, y and x
/// @param ranks at least 2, and at most the voxels of the box
box_tree::cut choose_cut(const box3& box, std::span<const std::int64_t> const (&active)[3], int ranks, double slack);

/// Divide the domain by recursive bisection. All ranks obtain nearly equal numbers of active voxels.
///
/// Each rank counts the active voxels of its preliminary part; the ranks sum the counts for the planes of each box. All
/// ranks obtain the same tree. Every box has at least one voxel, but possibly no active voxel.
/// @param part preliminary part of this rank, any box; the parts of all ranks cover the domain
/// @param voxels voxels of `part`, non-zero if active
/// @param ranks number of boxes; may differ from the size of comm
/// @throws usage_error on all ranks, without communication, if there are more ranks than voxels
/// @collective on comm
/// @cost log2(ranks) passes over the part; allreduces of 24 bytes per plane and box, ranks^(2/3) extents on the last level
/// @cite [BergerBokhari1987] (recursive coordinate bisection)
box_tree balance_bricks(MPI_Comm comm, index3 domain, const box3& part, view3<const material_number> voxels, int ranks);

}  // namespace osteon::grid
