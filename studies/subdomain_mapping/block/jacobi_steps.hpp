#pragma once
/// @file
/// Several Jacobi sweeps in one pass through the memory.
#include <studies/subdomain_mapping/block/jacobi.hpp>

namespace osteon::studies {

/// The result of `steps` calls of `jacobi_sweep` on the whole block, bit for bit, with constant ghosts.
///
/// Temporal blocking: sweep t + 1 follows sweep t one plane behind, through a block of rows; intermediate planes remain in
/// the cache. Planes and rows at the rims of a thread's slab and of a block are computed twice.
/// @param from its ghosts are read, except edges and corners @param steps at least 1
/// @param rows of a block; 0: as many as fit into 2 MiB of cache
/// @cite [Wellein2009] (wavefronts)
template <class T>
void jacobi_steps(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, int steps, std::int64_t rows = 0);

extern template void jacobi_steps(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, int, std::int64_t);
extern template void jacobi_steps(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>, int,
                                  std::int64_t);

}  // namespace osteon::studies
