#pragma once
/// @file
/// Several Jacobi sweeps in one pass through the memory.
#include <studies/subdomain_mapping/block/jacobi.hpp>

namespace osteon::studies {

/// The result is bitwise equal to `steps` calls of `jacobi_sweep` on the whole block with constant ghosts.
///
/// Temporal blocking: in a block of rows, sweep t + 1 is one plane behind sweep t. Intermediate planes remain in the cache.
/// Planes and rows at the boundary of the slab of a thread, and at the boundary of a block, are computed twice.
/// @param from input; its ghosts are read, except edges and corners @param steps number of sweeps, at least 1
/// @param rows number of rows of a block; 0: as many rows as fit into 2 MiB of cache
/// @cite [Wellein2009] (wavefronts)
template <class T>
void jacobi_steps(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, int steps, std::int64_t rows = 0);

extern template void jacobi_steps(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, int, std::int64_t);
extern template void jacobi_steps(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>, int,
                                  std::int64_t);

}  // namespace osteon::studies
