#pragma once
/// @file
/// Dealing out a domain to ranks as boxes that are balanced in all three axes.
#include <mpi.h>

#include <osteon/base/material_number.hpp>
#include <osteon/grid/box_tree.hpp>
#include <string>

namespace osteon::grid {

/// What is wrong with `ranks` ranks for an image of so many voxels, and what to do.
std::string too_many_ranks(std::int64_t ranks, index3 domain);

/// Where to cut a box for so many ranks.
///
/// Each side gets half of the ranks. Of all cuts across the three axes, those are considered that keep the larger load
/// of a rank within a factor of 1 + slack of the smallest possible; of these the one through the fewest active voxels is
/// taken, because each of its faces has to be exchanged. A side never has fewer voxels than ranks, and fewer active
/// ones only if no cut avoids it.
/// @param active active voxels of each plane of the box across z, y and x
/// @param ranks at least 2, and at most the voxels of the box
box_tree::cut choose_cut(const box3& box, std::span<const std::int64_t> const (&active)[3], int ranks, double slack);

/// Cut the domain by recursive bisection so that all ranks have about equally many active voxels.
///
/// No rank sees more than its own preliminary part: the ranks add up what they count of each box's planes. All get the
/// same tree; every box has at least one voxel, but perhaps no active one.
/// @param part the preliminary part of this rank, any box; together they are the domain
/// @param voxels its voxels, non-zero where active, shape of `part`
/// @param ranks number of boxes, independent of the size of comm
/// @throws usage_error on all ranks, without a message between them, if there are more ranks than voxels
/// @collective on comm
/// @cost log2(ranks) passes over the part; allreduces of 24 bytes a plane and box, ranks^(2/3) extents on the last level
/// @cite [BergerBokhari1987] (recursive coordinate bisection)
box_tree balance_bricks(MPI_Comm comm, index3 domain, const box3& part, view3<const material_number> voxels, int ranks);

}  // namespace osteon::grid
