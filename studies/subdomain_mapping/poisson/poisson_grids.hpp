#pragma once
/// @file
/// The grids of [Ito].
#include <studies/subdomain_mapping/ranks/cartesian.hpp>

namespace osteon::studies {

/// Numbers of ranks along (z, y, x) for a given number of ranks. The numbers are as equal as possible. The largest number is
/// along x, the next along z, and the smallest along y. For the numbers of cores in [Ito], the result equals the numbers in
/// [Ito].
index3 ranks_along_axes(int ranks);

/// Weak scaling of [Ito]. In case 1, the whole grid has equal proportions for all numbers of ranks. In case 2, each
/// subdomain has the shape 1024 x 256 x 256 for all numbers of ranks.
/// @param which number of the case, 1 or 2 @param scale factor of the grid size along each axis; 1: size of [Ito]
/// @throws usage_error if a rank would have no cell
/// @cite [Ito], tables 3 and 4
cartesian paper_grid(int which, int ranks, double scale);

/// The largest scale, at most 1, at which two fields of the grid of [Ito] fit into this number of bytes per rank.
double scale_that_fits(int which, int ranks, std::int64_t bytes_of_value, double bytes_of_rank);

}  // namespace osteon::studies
