#pragma once
/// @file
/// The seven-point conduction operator K on runs of cells, with two-point fluxes and harmonic face conductances.
///
/// Cells are numbered along x inside a run; x neighbours are therefore implicit. The neighbours of a segment in the four
/// other directions are contiguous, too. Bits per cell mark existing neighbours. Loops compute with arbitrary values of
/// missing neighbours and mask the results. Segments can therefore be as long as runs and use all vector lanes. Beyond a
/// face of fixed temperature there is a row of wall cells with resistivity zero; the harmonic mean then equals the half-cell
/// conductance. Beyond a face with convection, the wall cells have the resistivity of the film.
#include <array>
#include <cstdint>
#include <cstring>
#include <osteon/base/for_each.hpp>
#include <osteon/base/material_number.hpp>
#include <osteon/kernel/lanes.hpp>
#include <span>
#include <type_traits>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace osteon::kernel {

/// Direction of a neighbour, as bit number and as index: z - 1, z + 1, y - 1, y + 1, x - 1, x + 1.
inline constexpr int directions = 6;

/// Cells first .. first + length - 1 of one run. The neighbour of cell first + n in direction d (z and y) is neighbour[d] +
/// n if bit d of `open` is set. Otherwise neighbour[d] + n is an arbitrary number that may be read.
struct conduction_segment {
  std::int32_t first = 0;
  std::uint32_t length : 31 = 0;
  std::uint32_t uniform : 1 = 0;  ///< true if all cells and their neighbours have one material
  std::array<std::int32_t, 4> neighbour{};
};

/// A cell with x neighbours that do not have adjacent numbers. Missing neighbours are the cell itself.
struct conduction_corner {
  std::int32_t cell = 0;
  std::array<std::int32_t, directions> neighbour{};
};

/// Padding of vectors and `open` after the last cell; kernels read full SIMD vectors.
inline constexpr std::int32_t conduction_padding = 8;

/// A part of the cells, such as a plane.
struct conduction_part {
  std::span<const conduction_segment> segments;
  std::span<const conduction_corner> corners;
};

/// The operator K in the precision T. Borrows memory.
template <class T>
struct conduction_stencil {
  std::span<const conduction_segment> segments;  ///< ascending and without overlap; first > 0 where bit 4 is set
  std::span<const conduction_corner> corners;    ///< cells outside all segments
  const std::uint8_t* open = nullptr;            ///< per cell: bit d is set if there is a neighbour in direction d
  const material_number* material = nullptr;     ///< per cell, including ghosts and walls
  std::vector<T> resistivity;                    ///< per material [mm K/W]; 0 for wall cells
  std::array<T, 3> face{};                       ///< 2 A / h of a face normal to (z, y, x) [mm]
  std::vector<T> storage;                        ///< per material, added to the diagonal [W/K]
};

namespace detail {

// A byte of `open` in the low bits of each lane; higher bits are arbitrary. Compilers convert bytes to lanes by many single
// moves.
template <class T>
[[gnu::always_inline]] inline typename lanes<T>::mask open_directions(const std::uint8_t* open) {
  using mask = typename lanes<T>::mask;
#if defined(__AVX2__)
  if constexpr (lanes<T>::count == 8) {
    std::int64_t bytes;
    std::memcpy(&bytes, open, sizeof bytes);
    return (mask)_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(bytes));
  }
#endif
  std::int32_t words[2] = {};
  std::memcpy(words, open, lanes<T>::count);
  const auto low = words[0], high = words[1];
  if constexpr (lanes<T>::count == 8)
    return mask{low, low, low, low, high, high, high, high} >> mask{0, 8, 16, 24, 0, 8, 16, 24};
  else
    return mask{low, low, low, low} >> mask{0, 8, 16, 24};
}

// In lanes with bit d set in their byte, all bits are set; other lanes are zero.
template <class T>
[[gnu::always_inline]] inline typename lanes<T>::mask where_open(typename lanes<T>::mask open, int d) {
  if constexpr (sizeof(T) == 4)
    return (open << (31 - d)) >> 31;  // extends the sign; AVX2 has this shift for four-byte words only
  else
    return (open & (typename lanes<T>::integer{1} << d)) != 0;
}
template <class V, class M>
[[gnu::always_inline]] inline V kept(V value, M where) {
  return (V)((M)value & where);  // reinterpret the bits
}
// Conductance of lanes with bit d set; zero in other lanes.
template <class T>
[[gnu::always_inline]] inline typename lanes<T>::vector masked(typename lanes<T>::vector g, typename lanes<T>::mask open,
                                                               int d) {
  return kept(g, where_open<T>(open, d));
}

template <class Done, class T>
inline void tell(const Done& done, std::int32_t i, T flux, T diagonal) {
  if constexpr (std::is_invocable_v<Done, std::int32_t, T, T>)
    done(i, flux, diagonal);
  else
    done(i, flux);
}

// Process one segment. `done` receives full vectors up to `limit`; the last lanes may belong to later segments. The calls
// for these later segments pass the correct values.
template <bool Uniform, class T, class In, class Done>
void walk(const conduction_stencil<T>& k, const conduction_segment& s, std::int32_t limit, const In* x, const Done& done) {
  using vector = typename lanes<T>::vector;
  using mask = typename lanes<T>::mask;
  constexpr int width = lanes<T>::count;
  const material_number own = k.material[s.first];
  const std::int32_t end = s.first + static_cast<std::int32_t>(s.length);
  // Copy the constants of the segment, because the compiler must assume that `done` modifies them.
  const std::uint8_t* const opened = k.open;
  const material_number* const material = k.material;
  const T *const resistivity = k.resistivity.data(), *const storage = k.storage.data();
  const T half = T(0.5) / k.resistivity[own];
  vector face[3];
  for (std::size_t axis = 0; axis < 3; ++axis) face[axis] = k.face[axis] * (Uniform ? half : 1) + vector{};
  const std::int32_t to[directions] = {
      s.neighbour[0] - s.first, s.neighbour[1] - s.first, s.neighbour[2] - s.first, s.neighbour[3] - s.first, -1, 1};
  const vector stored_in_own = k.storage[own] + vector{};
  for (std::int32_t i = s.first; i < end; i += width) {
    const mask open = open_directions<T>(opened + i);
    const vector here = get<vector>(x + i);
    vector resistance = {}, sum = {}, diagonal = {}, stored = stored_in_own;
    if constexpr (!Uniform)
      for (int l = 0; l < width; ++l) {
        resistance[l] = resistivity[material[i + l]];
        stored[l] = storage[material[i + l]];
      }
#pragma GCC unroll 6
    for (int d = 0; d < directions; ++d) {
      const std::int32_t j = i + to[d];
      vector g = face[d / 2];
      if constexpr (!Uniform) {
        vector there = {};
        for (int l = 0; l < width; ++l) there[l] = resistivity[material[j + l]];
        g /= resistance + there;
      }
      g = masked<T>(g, open, d);
      sum += g * (here - get<vector>(x + j));
      diagonal += g;
    }
    sum += stored * here;
    diagonal += stored;
    if constexpr (std::is_invocable_v<Done, std::int32_t, vector, vector>)
      if (i + width <= limit) {
        done(i, sum, diagonal);
        continue;
      }
    for (int l = 0; l < width && i + l < end; ++l) tell(done, i + l, T(sum[l]), T(diagonal[l]));
  }
}

template <class T>
inline T conductance(const conduction_stencil<T>& k, int direction, std::int32_t i, std::int32_t j) {
  return k.face[static_cast<std::size_t>(direction / 2)] / (k.resistivity[k.material[i]] + k.resistivity[k.material[j]]);
}

template <class T, class In, class Done>
void visit_corner(const conduction_stencil<T>& k, const conduction_corner& c, const In* x, const Done& done) {
  T sum = k.storage[k.material[c.cell]] * static_cast<T>(x[c.cell]), diagonal = k.storage[k.material[c.cell]];
  for (int d = 0; d < directions; ++d) {
    const std::int32_t j = c.neighbour[static_cast<std::size_t>(d)];
    if (j == c.cell) continue;
    const T g = conductance(k, d, c.cell, j);
    sum += g * (static_cast<T>(x[c.cell]) - static_cast<T>(x[j]));
    diagonal += g;
  }
  tell(done, c.cell, sum, diagonal);
}

template <class T, class In, class Done>
void walk_all(const conduction_stencil<T>& k, std::span<const conduction_segment> segments, const In* x, const Done& done) {
  if (segments.empty()) return;
  const std::int32_t limit = segments.back().first + static_cast<std::int32_t>(segments.back().length);
  for (const conduction_segment& s : segments)
    if (s.uniform)
      walk<true>(k, s, limit, x, done);
    else
      walk<false>(k, s, limit, x, done);
}

}  // namespace detail

/// Call `done(i, (K x)_i)`, or `done(i, (K x)_i, K_ii)` if `done` accepts three arguments, for every cell of the stencil, in
/// any order. A vector argument contains values of consecutive cells, beginning with cell i (see `get` and `put`). With
/// vector arguments, `done` must only store results at these indices, because repeated calls occur for some cells, and only
/// the last call for a cell has correct values.
/// @param x read at cells, ghosts and walls, and at any number up to the padding; `done` must not modify x
template <class T, class In, class Done>
void for_each_flux(const conduction_stencil<T>& k, const In* x, const Done& done) {
  constexpr std::int64_t chunk = 256;
  for_each_block(static_cast<std::int64_t>(k.segments.size()), chunk, [&](std::int64_t begin, std::int64_t end) {
    detail::walk_all(k, k.segments.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)), x, done);
  });
  for (const conduction_corner& c : k.corners) detail::visit_corner(k, c, x, done);
}

/// As for_each_flux, but for the cells of a part and on the calling thread only.
template <class T, class In, class Done>
void for_each_flux(const conduction_stencil<T>& k, const conduction_part& part, const In* x, const Done& done) {
  detail::walk_all(k, part.segments, x, done);
  for (const conduction_corner& c : part.corners) detail::visit_corner(k, c, x, done);
}

/// Call `visit(i, j, axis, towards_high, conductance)` for every conducting face of the cells of a part. Cell i belongs to
/// the part; j is its neighbour or a wall cell. Heat storage is not a face. Single-threaded.
template <class T, class Visit>
void visit_faces(const conduction_stencil<T>& k, const conduction_part& part, Visit visit) {
  const auto face = [&](std::int32_t i, std::int32_t j, int d) {
    visit(i, j, d / 2, d % 2 != 0, detail::conductance(k, d, i, j));
  };
  for (const conduction_segment& s : part.segments)
    for (std::int32_t n = 0; n < static_cast<std::int32_t>(s.length); ++n) {
      const std::int32_t i = s.first + n;
      for (int d = 0; d < directions; ++d)
        if ((k.open[i] >> d & 1) != 0)
          face(i, d < 4 ? s.neighbour[static_cast<std::size_t>(d)] + n : d == 4 ? i - 1 : i + 1, d);
    }
  for (const conduction_corner& c : part.corners)
    for (int d = 0; d < directions; ++d)
      if (const std::int32_t j = c.neighbour[static_cast<std::size_t>(d)]; j != c.cell) face(c.cell, j, d);
}

/// Call `visit` for every conducting face of every cell. For a face between two cells of the stencil, `visit` is called
/// twice, once with each cell as cell i. Single-threaded.
template <class T, class Visit>
void visit_faces(const conduction_stencil<T>& k, Visit visit) {
  visit_faces(k, conduction_part{k.segments, k.corners}, visit);
}

}  // namespace osteon::kernel
