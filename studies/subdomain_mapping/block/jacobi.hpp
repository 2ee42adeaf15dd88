#pragma once
/// @file
/// Jacobi sweeps of the seven-point Laplacian on a uniform grid.
#include <studies/subdomain_mapping/block/ghosted_view.hpp>

namespace osteon::studies {

/// The formula is u' = centre u + side (sum of the six neighbours). With suitable weights, this formula is an explicit step
/// of heat conduction, or a damped Jacobi sweep of the Poisson equation.
template <class T>
struct jacobi_weights {
  T centre, side;
  /// @param damping factor of the sweep; 1: plain Jacobi sweep with centre 0; 2/3: high frequencies decay fastest
  static jacobi_weights damped(double damping) { return {static_cast<T>(1 - damping), static_cast<T>(damping / 6)}; }
};

/// Traversal of `jacobi_sweep`.
struct jacobi_walk {
  std::int64_t rows = 0;  ///< number of rows of a block whose planes remain in the cache; 0: as many rows as fit
  bool stream = true;     ///< true: stores bypass the caches, which is faster for blocks that are larger than the caches
};

/// The sweep by its definition, on one thread.
/// @param region cells to compute; the cells around the region, except edges and corners, are read
template <class T>
void jacobi_sweep_plain(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, const box3& region);

/// Vectorised sweep. The result is bitwise equal to the result of the sweep by definition. The sweep processes four planes
/// at a time, in blocks of rows. Each thread computes a z slab (`slab_of`).
template <class T>
void jacobi_sweep(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, const box3& region,
                  jacobi_walk walk = {});

extern template void jacobi_sweep_plain(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, const box3&);
extern template void jacobi_sweep_plain(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>,
                                        const box3&);
extern template void jacobi_sweep(jacobi_weights<float>, ghosted_view<const float>, ghosted_view<float>, const box3&,
                                  jacobi_walk);
extern template void jacobi_sweep(jacobi_weights<double>, ghosted_view<const double>, ghosted_view<double>, const box3&,
                                  jacobi_walk);

}  // namespace osteon::studies
