#pragma once
/// @file
/// Partition of a domain into boxes, balanced along all three axes.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <string>

namespace osteon::grid {

/// Error message, with remedy, for an image with fewer voxels than ranks.
std::string too_many_ranks(std::int64_t ranks, index3 domain);

/// Choose a cut that divides a box. Each side of the cut is assigned to half of the ranks.
///
/// Candidates are cuts across all three axes. The largest load of a rank must be at most 1 + slack times the minimum over
/// all cuts. The function chooses the candidate through the fewest active voxels, because ranks exchange values at the faces
/// of these voxels. Each side has at least as many voxels as ranks. A side may have fewer active voxels than ranks only if
/// every cut has such a side.
/// @param active number of active voxels of each plane of the box across z, y and x
/// @param ranks at least 2, and at most the number of voxels of the box
box_tree::cut choose_cut(const box3& box, std::span<const std::int64_t> const (&active)[3], int ranks, double slack);

/// Divide the domain by recursive bisection. The boxes of all ranks have nearly equal numbers of active voxels.
///
/// Each rank counts the active voxels of its preliminary part. The ranks sum these counts for the planes of each box. The
/// tree is equal on all ranks. Every box has at least one voxel, but a box may have no active voxels.
/// @param part any box as preliminary part of this rank; the parts of all ranks must cover the domain
/// @param voxels voxels of `part`; active voxels are non-zero
/// @param ranks number of boxes; may differ from the size of comm
/// @throws usage_error on all ranks, without communication, if there are more ranks than voxels
/// @collective on comm
/// @cost log2(ranks) passes over the part; allreduces of 24 bytes per plane and box, for ranks^(2/3) planes on the last
/// level
/// @cite [BergerBokhari1987] (recursive coordinate bisection)
box_tree balance_bricks(MPI_Comm comm, index3 domain, const box3& part, view3<const material_number> voxels, int ranks);

}  // namespace osteon::grid
