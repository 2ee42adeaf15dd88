#pragma once
/// @file
/// The seven-point conduction operator K on runs of cells: two-point fluxes, harmonic face conductances.
///
/// Cells are numbered along x inside a run, so the x neighbours are implicit and the four other neighbour rows are
/// contiguous too. Nothing in the loops asks whether a neighbour exists: through an insulated face a cell is its own
/// neighbour (the difference is exactly zero), and behind a face of fixed temperature lies a row of wall cells with
/// resistivity zero, which turns the harmonic mean into the half-cell conductance (or that of a film, in convection).
#include <array>
#include <cstdint>
#include <osteon/base/for_each.hpp>
#include <span>

namespace osteon::kernel {

/// A stretch of cells first .. first + length - 1 of one run whose neighbour rows are contiguous.
struct conduction_segment {
  std::int32_t first = 0, length = 0;
  std::int32_t below = 0, above = 0;  ///< neighbour of the first cell at z - 1 and z + 1; the others follow it
  std::int32_t front = 0, back = 0;   ///< neighbour of the first cell at y - 1 and y + 1; the others follow it
  std::int32_t left = 0, right = 0;   ///< neighbour of the first cell at x - 1, of the last cell at x + 1
};

/// K in the precision T. Borrowed memory.
template <class T>
struct conduction_stencil {
  std::span<const conduction_segment> uniform;  ///< all cells and neighbours have one material
  std::span<const conduction_segment> mixed;    ///< anything goes
  const std::uint8_t* material = nullptr;       ///< per cell, ghosts and walls included
  std::array<T, 256> resistivity{};             ///< per material [mm K/W]; 0 for wall cells
  std::array<T, 3> face{};                      ///< 2 A / h of a face normal to (z, y, x) [mm]
  std::array<T, 256> storage{};                 ///< per material, added to the diagonal [W/K]
  bool stores = false;                          ///< whether any of `storage` is not zero
};

namespace detail {

/// Call `done(i, (K x)_i)` for the cells of one segment, conductances from `conduct(axis, i, j)`, what a cell stores from
/// `store(i)`.
template <class T, bool Stores, class In, class Conduct, class Store, class Done>
inline void walk(const conduction_segment& s, const In* __restrict x, Conduct conduct, Store store, Done done) {
  const std::int32_t to_below = s.below - s.first, to_above = s.above - s.first;
  const std::int32_t to_front = s.front - s.first, to_back = s.back - s.first;
  const std::int32_t last = s.first + s.length - 1;
  const auto flux_out = [&](std::int32_t i, std::int32_t left, std::int32_t right) {
    const T here = static_cast<T>(x[i]);
    const auto flux = [&](int axis, std::int32_t j) { return conduct(axis, i, j) * (here - static_cast<T>(x[j])); };
    const T sum = (flux(0, i + to_below) + flux(0, i + to_above)) + (flux(1, i + to_front) + flux(1, i + to_back)) +
                  (flux(2, left) + flux(2, right));
    if constexpr (Stores)
      return sum + store(i) * here;
    else
      return sum;
  };
  done(s.first, flux_out(s.first, s.left, s.length > 1 ? s.first + 1 : s.right));
#pragma omp simd
  for (std::int32_t i = s.first + 1; i < last; ++i) done(i, flux_out(i, i - 1, i + 1));
  if (s.length > 1) done(last, flux_out(last, last - 1, s.right));
}

template <bool Stores, class T, class In, class Done>
void for_each_flux(const conduction_stencil<T>& k, const In* x, Done done) {
  constexpr std::int64_t chunk = 512;
  for_each_block(static_cast<std::int64_t>(k.uniform.size()), chunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      const conduction_segment& s = k.uniform[static_cast<std::size_t>(n)];
      const std::uint8_t m = k.material[s.first];
      const T half_k = T(0.5) / k.resistivity[m];
      const T g[3] = {k.face[0] * half_k, k.face[1] * half_k, k.face[2] * half_k};
      const T stored = k.storage[m];
      walk<T, Stores>(
          s, x, [&](int axis, std::int32_t, std::int32_t) { return g[axis]; }, [&](std::int32_t) { return stored; }, done);
    }
  });
  for_each_block(static_cast<std::int64_t>(k.mixed.size()), chunk, [&](std::int64_t begin, std::int64_t end) {
    const T* r = k.resistivity.data();
    const T* stored = k.storage.data();
    const std::uint8_t* m = k.material;
    for (std::int64_t n = begin; n < end; ++n)
      walk<T, Stores>(
          k.mixed[static_cast<std::size_t>(n)], x,
          [&](int axis, std::int32_t i, std::int32_t j) {
            return k.face[static_cast<std::size_t>(axis)] / (r[m[i]] + r[m[j]]);
          },
          [&](std::int32_t i) { return stored[m[i]]; }, done);
  });
}

}  // namespace detail

/// Call `done(i, (K x)_i)` once for every cell of the stencil, in any order.
/// @param x read at the cells, their ghosts and the walls; `done` must not write it
template <class T, class In, class Done>
void for_each_flux(const conduction_stencil<T>& k, const In* x, Done done) {
  if (k.stores)
    detail::for_each_flux<true>(k, x, done);
  else
    detail::for_each_flux<false>(k, x, done);
}

/// Visit every conducting face of every cell: `visit(i, j, axis, towards_high, conductance)`, j the neighbour or a
/// wall cell; what cells store is no face. A face between two cells of the stencil is seen from both. In order of the segments, on one thread.
template <class T, class Visit>
void visit_faces(const conduction_stencil<T>& k, Visit visit) {
  for (const auto segments : {k.uniform, k.mixed})
    for (const conduction_segment& s : segments)
      for (std::int32_t n = 0; n < s.length; ++n) {
        const std::int32_t i = s.first + n;
        const auto face = [&](std::int32_t j, int axis, bool high) {
          if (j == i) return;
          const auto a = static_cast<std::size_t>(axis);
          visit(i, j, axis, high, k.face[a] / (k.resistivity[k.material[i]] + k.resistivity[k.material[j]]));
        };
        face(s.below + n, 0, false);
        face(s.above + n, 0, true);
        face(s.front + n, 1, false);
        face(s.back + n, 1, true);
        face(n > 0 ? i - 1 : s.left, 2, false);
        face(n + 1 < s.length ? i + 1 : s.right, 2, true);
      }
}

}  // namespace osteon::kernel
