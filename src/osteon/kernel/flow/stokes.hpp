#pragma once
/// @file
/// Operator of steady Stokes flow on runs of cells: y = K x, K = [A G; G^T 0], on the staggered grid.
///
/// Each cell has four unknowns: the velocity components z, y, x on its low faces, and the pressure at its centre. The four
/// unknowns of a cell have one number; they are stored in four arrays of `stride` values. A component has a value if both
/// cells of the face are fluid; all other velocity values are zero. Missing neighbours need no test, because the friction of
/// walls is part of the diagonal. Lengths are in units of voxels; non-cubic voxels have weights by axis. The operators are
/// (A u)_i = d_i u_i - sum over the six neighbours of w_axis u_j, and (G p)_i = g_axis (p_i - p_below).
#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/kernel/flow/segment_steps.hpp>
#include <osteon/kernel/flow/table_lookup.hpp>

namespace osteon::kernel {

/// The two axes perpendicular to an axis.
inline constexpr std::array<std::array<std::size_t, 2>, 3> axes_across{{{1, 2}, {0, 2}, {0, 1}}};

/// A face on the inlet or the outlet. The control volume of the face is half a voxel deep; the transverse entries in its row
/// of A are therefore halved. The prescribed pressure behind the face is zero.
struct stokes_open_face {
  std::int32_t cell = 0;                               ///< cell of the low face
  std::int32_t pressure = 0;                           ///< adjacent cell inside the domain
  std::int32_t along = -1;                             ///< next face along the axis; -1: a wall
  std::array<std::int32_t, 4> across{-1, -1, -1, -1};  ///< low and high along the first of axes_across, then the second
  double diagonal = 0;     ///< diagonal, halved like the row; in double precision, because the precision of the diagonal
                           ///< limits the accuracy
  bool is_inlet = true;    ///< the cell inside is above the face
  std::int8_t axis = 0;    ///< axis normal to the face
  std::uint8_t whole = 0;  ///< bit per entry of `across`: set for a face between two cells, with full friction
};

/// The operator K in the precision T. Borrows memory.
template <class T>
struct stokes_stencil {
  std::span<const conduction_segment> segments;   ///< as in conduction_stencil
  std::span<const conduction_corner> corners;     ///< ascending
  const std::uint8_t* open = nullptr;             ///< per cell: bit d is set if there is a neighbour in direction d
  std::array<const std::uint8_t*, 3> friction{};  ///< by component and cell: index of the diagonal
  std::array<std::array<T, 64>, 3> diagonal{};    ///< by component and index
  std::array<T, 3> weight{};                      ///< w by axis
  std::array<T, 3> slope{};                       ///< g by axis
  std::span<const stokes_open_face> open_faces;
  std::span<const std::int32_t> beyond;  ///< cells behind the outlet, with a low face only
  std::span<const std::int64_t> given;   ///< component * stride + cell: face with a prescribed value although both cells
                                         ///< exist
  std::int64_t stride = 0;
};

namespace detail {

// Coefficients of the rows of a stencil in the general case.
template <class T>
struct stokes_rows {
  static constexpr bool is_of_cubes = false;
  const stokes_stencil<T>& k;
  explicit stokes_rows(const stokes_stencil<T>& stencil) : k(stencil) {}
};

// Coefficients of the rows for weights and slopes of 1 (cubic voxels). These rows have integer diagonals.
// @tparam Sixteens number of groups of 16 diagonals
template <int Sixteens>
struct stokes_rows_of_cubes {
  static constexpr bool is_of_cubes = true;
  const stokes_stencil<float>& k;
  std::array<byte_table, 3> diagonal{};
  explicit stokes_rows_of_cubes(const stokes_stencil<float>& stencil) : k(stencil) {
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t n = 0; n < 64; ++n) diagonal[c].value[n] = static_cast<std::uint8_t>(k.diagonal[c][n]);
  }
  [[gnu::always_inline]] auto look_up(std::size_t c, const std::uint8_t* number) const {
    return looked_up_bytes<Sixteens>(diagonal[c], number);
  }
  // Number of parts of the diagonal tables; 0: voxels are not cubes.
  static int sixteens(const stokes_stencil<float>& k) {
    std::size_t count = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      if (k.weight[c] != 1 || k.slope[c] != 1) return 0;
      for (std::size_t n = 0; n < 64; ++n) {
        const float d = k.diagonal[c][n];
        if (!(d >= 0 && d < 256) || d != std::floor(d)) return 0;
        if (d != 0) count = std::max(count, n + 1);
      }
    }
    return count <= 32 ? 2 : 4;
  }
};

// @tparam Forced `force` is not zero
template <bool Forced, class Rows, class T, class In, class Done>
void stokes_walk(const Rows& given_rows, std::span<const conduction_segment> segments, const In* x,
                 const std::array<T, 3>& given_force, const Done& given_done) {
  using vector = typename lanes<T>::vector;
  using mask = typename lanes<T>::mask;
  using offsets = std::array<std::int64_t, directions>;
  constexpr int width = lanes<T>::count;
  const std::int32_t limit = end_of(segments);
  // Constants of the segments, copied because the compiler must assume that `done` modifies them.
  const Done done = given_done;
  const Rows rows = given_rows;
  const stokes_stencil<T>& k = rows.k;
  const std::uint8_t* const opened = k.open;
  const std::array<const std::uint8_t*, 3> friction = k.friction;
  const std::int64_t stride = k.stride;
  const std::array<T, 3> weight = k.weight, slope = k.slope, force = given_force;
  const auto step = [&](std::int32_t i, const offsets& to, std::int32_t left) __attribute__((always_inline)) {
    const mask open = open_directions<T>(opened + i);
    mask exists[directions];
#pragma GCC unroll 6
    for (int d = 0; d < directions; ++d) exists[d] = where_open<T>(open, d);
    const In* const p = x + 3 * stride + i;
    const vector pressure = get<vector>(p);
    vector result[4];
    result[3] = vector{};
#pragma GCC unroll 3
    for (std::size_t c = 0; c < 3; ++c) {
      const In* const u = x + static_cast<std::int64_t>(c) * stride + i;
      const vector here = get<vector>(u), fall = pressure - get<vector>(p + to[2 * c]);
      vector pair[3];
#pragma GCC unroll 3
      for (std::size_t axis = 0; axis < 3; ++axis) {
        // A face without a low neighbour along its axis has no row; its values are masked below.
        const vector low = get<vector>(u + to[2 * axis]),
                     high = kept(get<vector>(u + to[2 * axis + 1]), exists[2 * axis + 1]);
        pair[axis] = (axis == c ? low : kept(low, exists[2 * axis])) + high;
        if (axis != c) continue;
        if constexpr (Rows::is_of_cubes)
          result[3] += here - high;
        else
          result[3] += slope[c] * (here - high);
      }
      // Independent partial sums shorten the dependency chain.
      vector sum;
      if constexpr (Rows::is_of_cubes) {
        sum = fall - pair[0];
        if constexpr (Forced) sum -= force[c];
        sum -= pair[1] + pair[2];
        sum += rows.look_up(c, friction[c] + i) * here;
      } else {
        vector others = weight[0] * pair[0];
        others += weight[1] * pair[1];
        others -= slope[c] * fall;
        sum = looked_up<vector>(k.diagonal[c].data(), friction[c] + i) * here;
        if constexpr (Forced) sum -= force[c];
        sum -= weight[2] * pair[2];
        sum -= others;
      }
      result[c] = kept(sum, exists[2 * c]);
    }
    if constexpr (std::is_invocable_v<Done, int, std::int32_t, vector>)
      if (i + width <= limit) [[likely]] {
        for (int c = 0; c < 4; ++c) done(c, i, result[c]);
        return;
      }
    for (int l = 0; l < width && l < left; ++l)
      for (int c = 0; c < 4; ++c) done(c, i + l, T(result[c][l]));
  };
  step_through<width>(segments, step);
}

template <class T, class In, class Done>
void stokes_corner(const stokes_stencil<T>& k, const conduction_corner& corner, const In* x, const std::array<T, 3>& force,
                   const Done& done) {
  const std::int32_t i = corner.cell;
  const In* const p = x + 3 * k.stride;
  T mass = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const In* const u = x + static_cast<std::int64_t>(c) * k.stride;
    T sum = k.diagonal[c][k.friction[c][i]] * static_cast<T>(u[i]) - force[c], above = 0;
    for (std::size_t d = 0; d < directions; ++d) {
      const std::int32_t j = corner.neighbour[d];
      if (j == i) continue;
      sum -= k.weight[d / 2] * static_cast<T>(u[j]);
      if (d == 2 * c + 1) above = static_cast<T>(u[j]);
    }
    mass += k.slope[c] * (static_cast<T>(u[i]) - above);
    const std::int32_t below = corner.neighbour[2 * c];
    sum += k.slope[c] * (static_cast<T>(p[i]) - static_cast<T>(p[below]));
    done(static_cast<int>(c), i, below == i ? T(0) : sum);
  }
  done(3, i, mass);
}

template <class T, class In, class Done>
void stokes_open_faces(const stokes_stencil<T>& k, const In* x, const std::array<T, 3>& force, const Done& done) {
  const In* const p = x + 3 * k.stride;
  for (const std::int32_t i : k.beyond)
    for (int c = 0; c < 4; ++c) done(c, i, T(0));
  for (const std::int64_t g : k.given) done(static_cast<int>(g / k.stride), static_cast<std::int32_t>(g % k.stride), T(0));
  for (const stokes_open_face& f : k.open_faces) {
    const auto axis = static_cast<std::size_t>(f.axis);
    const In* const u = x + static_cast<std::int64_t>(axis) * k.stride;
    T sum = static_cast<T>(f.diagonal) * static_cast<T>(u[f.cell]) - force[axis] / 2;
    if (f.along >= 0) sum -= k.weight[axis] * static_cast<T>(u[f.along]);
    for (std::size_t n = 0; n < 4; ++n)
      if (f.across[n] >= 0)
        sum -= k.weight[axes_across[axis][n / 2]] * static_cast<T>(u[f.across[n]]) / ((f.whole >> n & 1) != 0 ? 1 : 2);
    sum += (f.is_inlet ? 1 : -1) * k.slope[axis] * static_cast<T>(p[f.pressure]);
    done(static_cast<int>(axis), f.cell, sum);
  }
}

template <class T, class In, class Done>
void divergence_walk(const stokes_stencil<T>& k, std::span<const conduction_segment> segments, const In* u,
                     const Done& given_done) {
  using vector = typename lanes<T>::vector;
  using mask = typename lanes<T>::mask;
  constexpr int width = lanes<T>::count;
  const std::int32_t limit = end_of(segments);
  const Done done = given_done;
  const std::uint8_t* const opened = k.open;
  const std::int64_t stride = k.stride;
  const std::array<T, 3> slope = k.slope;
  step_through<width>(segments, [&](std::int32_t i, const std::array<std::int64_t, directions>& to,
                                    std::int32_t left) __attribute__((always_inline)) {
    const mask open = open_directions<T>(opened + i);
    vector sum{};
#pragma GCC unroll 3
    for (std::size_t c = 0; c < 3; ++c) {
      const In* const own = u + static_cast<std::int64_t>(c) * stride + i;
      const int above = static_cast<int>(2 * c + 1);
      sum += slope[c] * (get<vector>(own) - masked<T>(get<vector>(own + to[2 * c + 1]), open, above));
    }
    if (i + width <= limit) [[likely]]
      done(i, sum);
    else
      for (int l = 0; l < width && l < left; ++l) done(i + l, T(sum[l]));
  });
}

template <bool Forced, class T, class In, class Done>
void stokes_chunks(const stokes_stencil<T>& k, const In* x, const std::array<T, 3>& force, const Done& done) {
  const auto through = [&](const auto& rows) {
    for_each_chunk(k.segments, k.corners, [&](auto segments, auto corners) {
      stokes_walk<Forced>(rows, segments, x, force, done);
      for (const conduction_corner& c : corners) stokes_corner(k, c, x, force, done);
    });
  };
  if constexpr (std::is_same_v<T, float>) {
    const int sixteens = stokes_rows_of_cubes<0>::sixteens(k);
    if (sixteens == 2) return through(stokes_rows_of_cubes<2>(k));
    if (sixteens == 4) return through(stokes_rows_of_cubes<4>(k));
  }
  through(stokes_rows<T>(k));
}

}  // namespace detail

/// Call `done(i, (G^T u)_i)` for every cell, as in for_each_stokes. The value is zero for cells beyond the outlet.
/// @param u shape (3, stride), ghosts current, zero at faces that do not exist
template <class T, class In, class Done>
void for_each_divergence(const stokes_stencil<T>& k, const In* u, const Done& done) {
  detail::for_each_chunk(k.segments, k.corners, [&](auto segments, auto corners) {
    detail::divergence_walk(k, segments, u, done);
    for (const conduction_corner& corner : corners) {
      T sum = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const In* const own = u + static_cast<std::int64_t>(c) * k.stride;
        const std::int32_t above = corner.neighbour[2 * c + 1];
        sum += k.slope[c] * (static_cast<T>(own[corner.cell]) - (above == corner.cell ? 0 : static_cast<T>(own[above])));
      }
      done(corner.cell, sum);
    }
  });
  for (const std::int32_t i : k.beyond) done(i, T(0));
}

/// Call `done(component, i, (K x - b)_i)` for the four unknowns of every cell, in any order; component 3 is the pressure.
/// `done` receives vectors as in for_each_flux and must store them; the last call for a cell has the correct value.
/// @param x shape (4, stride), ghosts current, zero at faces that do not exist @param force b at every face of a component
template <class T, class In, class Done>
void for_each_stokes(const stokes_stencil<T>& k, const In* x, const std::array<T, 3>& force, const Done& done) {
  if (force[0] == 0 && force[1] == 0 && force[2] == 0)
    detail::stokes_chunks<false>(k, x, force, done);
  else
    detail::stokes_chunks<true>(k, x, force, done);
  detail::stokes_open_faces(k, x, force, done);
}

}  // namespace osteon::kernel
