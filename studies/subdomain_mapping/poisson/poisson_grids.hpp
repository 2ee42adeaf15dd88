#pragma once
/// @file
/// The grids of [Ito].
#include <studies/subdomain_mapping/ranks/cartesian.hpp>

namespace osteon::studies {

/// Numbers of ranks along (z, y, x) for a number of ranks: most along x, then z, then y, as equal as possible. For the
/// numbers of cores in [Ito] these are its own.
index3 ranks_along_axes(int ranks);

/// Weak scaling of [Ito]: in case 1 the shape of the whole grid is the same for all numbers of ranks, in case 2 that of
/// each subdomain (1024 x 256 x 256).
/// @param which 1 or 2 @param scale of the grid along each axis; 1: [Ito]'s size
/// @throws usage_error if a rank would have no cell
/// @cite [Ito], tables 3 and 4
cartesian paper_grid(int which, int ranks, double scale);

/// The largest scale, at most 1, for which two fields of [Ito]'s grid need this number of bytes per rank.
double scale_that_fits(int which, int ranks, std::int64_t bytes_of_value, double bytes_of_rank);

}  // namespace osteon::studies
