#pragma once
/// @file
/// Jacobi sweeps of the seven-point Laplacian on a uniform grid.
#include <studies/subdomain_mapping/block/ghosted_view.hpp>

namespace osteon::studies {

/// u' = centre u + side (sum of the six neighbours): an explicit step of heat conduction, which is a damped Jacobi sweep of
/// the Poisson equation.
template <class T>
struct jacobi_weights {
  T centre, side;
  /// @param damping 1: plain Jacobi, centre 0; for 2/3 high frequencies decay fastest
  static jacobi_weights damped(double damping) { return {static_cast<T>(1 - damping), static_cast<T>(damping / 6)}; }
};

/// How `jacobi_sweep` walks.
struct jacobi_walk {
  std::int64_t rows = 0;  ///< rows of a block whose planes remain in the cache; 0: as many as fit
  bool stream = true;     ///< stores bypass the caches, which is faster for larger blocks
};

/// The sweep in its defining form, on one thread.
/// @param region cells to compute; those around them, except edges and corners, are read
template <class T>
void jacobi_sweep_plain(jacobi_weights<T> w, ghosted_view<const T> from, ghosted_view<T> to, const box3& region);

/// The same, bit for bit: vectorised, four planes at a time, in blocks of rows, threads by z slabs (`slab_of`).
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
