#pragma once
/// @file
/// Partitioning of a domain into boxes, balanced along all three axes.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <string>

namespace osteon::grid {

/// Error message and remedy for too many ranks for an image.
std::string too_many_ranks(std::int64_t ranks, index3 domain);

/// Choose the cut of a box for a number of ranks.
///
/// Each side gets half of the ranks. Candidates are all cuts across the three axes that keep the larger load of a rank
/// within a factor of 1 + slack of the minimum. The candidate through the fewest active voxels is chosen, because each of
/// its faces has to be exchanged. A side never has fewer voxels than ranks, and fewer active voxels than ranks only if every
/// cut does.
/// @param active active voxels of each plane of the box across z, y and x
/// @param ranks at least 2, and at most the voxels of the box
box_tree::cut choose_cut(const box3& box, std::span<const std::int64_t> const (&active)[3], int ranks, double slack);

/// Cut the domain by recursive bisection so that all ranks have about equally many active voxels.
///
/// Each rank reads its own preliminary part only: the ranks sum their counts of the planes of each box. All ranks get the
/// same tree; every box has at least one voxel, but possibly no active voxel.
/// @param part the preliminary part of this rank, any box; the parts of all ranks fill the domain
/// @param voxels its voxels, non-zero where active, shape of `part`
/// @param ranks number of boxes, independent of the size of comm
/// @throws usage_error on all ranks, without communication, if there are more ranks than voxels
/// @collective on comm
/// @cost log2(ranks) passes over the part; allreduces of 24 bytes per plane and box, ranks^(2/3) extents on the last level
/// @cite [BergerBokhari1987] (recursive coordinate bisection)
box_tree balance_bricks(MPI_Comm comm, index3 domain, const box3& part, view3<const material_number> voxels, int ranks);

}  // namespace osteon::grid
