#pragma once
/// @file
/// The operator of steady Stokes flow on runs of cells: y = K x, K = [A G; G^T 0], on the staggered grid.
///
/// One numbering serves four unknowns of a cell: the velocity components z, y, x on its low faces, and the pressure at its
/// centre. They are four arrays, `stride` values each. A component has a value where both cells of the face are fluid; all
/// other values of a velocity are zero, and stay zero. So a missing neighbour needs no test: what friction a wall adds is in
/// the diagonal. In units of voxels, with weights by axis for voxels that are no cubes:
///   (A u)_i = d_i u_i - sum over the six neighbours of w_axis u_j,   (G p)_i = g_axis (p_i - p_below).
#include <array>
#include <osteon/kernel/flow/table_lookup.hpp>
#include <osteon/kernel/heat/conduction.hpp>

namespace osteon::kernel {

/// The two axes across an axis.
inline constexpr std::array<std::array<std::size_t, 2>, 3> axes_across{{{1, 2}, {0, 2}, {0, 1}}};

/// A face on the inlet or the outlet. Its control volume reaches half a voxel deep, so that its row of A is halved across,
/// and the pressure behind it is given: zero.
struct stokes_open_face {
  std::int32_t cell = 0;                               ///< whose low face it is
  std::int32_t pressure = 0;                           ///< the cell inside
  std::int32_t along = -1;                             ///< next face in the direction of the flow; -1: a wall
  std::array<std::int32_t, 4> across{-1, -1, -1, -1};  ///< low and high along the first of axes_across, and the second
  double diagonal = 0;     ///< of the row, halved as all of it: in double, as the answer is no better than it
  bool is_inlet = true;    ///< the cell inside is above the face
  std::int8_t axis = 0;    ///< that it lies across
  std::uint8_t whole = 0;  ///< bits by entry of `across`: a face between two cells, whose friction is not halved
};

/// K in the precision T. Borrowed memory.
template <class T>
struct stokes_stencil {
  std::span<const conduction_segment> segments;  ///< as in conduction_stencil
  std::span<const conduction_corner> corners;
  const std::uint8_t* open = nullptr;             ///< per cell: bit d is set if there is a neighbour in direction d
  std::array<const std::uint8_t*, 3> friction{};  ///< by component, per cell: number of its diagonal
  std::array<std::array<T, 64>, 3> diagonal{};    ///< by component and that number
  std::array<T, 3> weight{};                      ///< w by axis
  std::array<T, 3> slope{};                       ///< g by axis
  std::span<const stokes_open_face> open_faces;
  std::span<const std::int32_t> beyond;  ///< cells behind the outlet: they have a low face there and nothing else
  std::span<const std::int64_t> given;   ///< component * stride + cell: no unknown, though both cells are there
  std::int64_t stride = 0;
};

namespace detail {

template <class T, class In, class Done>
void stokes_walk(const stokes_stencil<T>& k, const conduction_segment& s, std::int32_t limit, const In* x,
                 const std::array<T, 3>& force, const Done& done) {
  using vector = typename lanes<T>::vector;
  using mask = typename lanes<T>::mask;
  constexpr int width = lanes<T>::count;
  const std::int32_t end = s.first + static_cast<std::int32_t>(s.length);
  const std::int32_t to[directions] = {
      s.neighbour[0] - s.first, s.neighbour[1] - s.first, s.neighbour[2] - s.first, s.neighbour[3] - s.first, -1, 1};
  // What does not change along the segment; `done` may write to any of it for all that the compiler knows.
  const std::uint8_t* const opened = k.open;
  const std::array<const std::uint8_t*, 3> friction = k.friction;
  const std::int64_t stride = k.stride;
  const std::array<T, 3> weight = k.weight, slope = k.slope;
  for (std::int32_t i = s.first; i < end; i += width) {
    const mask open = open_directions<T>(opened + i);
    const vector pressure = get<vector>(x + 3 * stride + i);
    vector result[4];
    result[3] = vector{};
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const auto component = static_cast<std::size_t>(c);
      const In* const u = x + c * stride;
      const vector here = get<vector>(u + i);
      vector sum = looked_up<vector>(k.diagonal[component].data(), friction[component] + i) * here - force[component];
#pragma GCC unroll 6
      for (int d = 0; d < directions; ++d) {
        const vector there = masked<T>(get<vector>(u + i + to[d]), open, d);
        sum -= weight[static_cast<std::size_t>(d / 2)] * there;
        if (d == 2 * c + 1) result[3] += slope[component] * (here - there);
      }
      sum += slope[component] * (pressure - get<vector>(x + 3 * stride + i + to[2 * c]));
      result[c] = masked<T>(sum, open, 2 * c);
    }
    if constexpr (std::is_invocable_v<Done, int, std::int32_t, vector>)
      if (i + width <= limit) {
        for (int c = 0; c < 4; ++c) done(c, i, result[c]);
        continue;
      }
    for (int l = 0; l < width && i + l < end; ++l)
      for (int c = 0; c < 4; ++c) done(c, i + l, T(result[c][l]));
  }
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
void divergence_walk(const stokes_stencil<T>& k, const conduction_segment& s, std::int32_t limit, const In* u,
                     const Done& done) {
  using vector = typename lanes<T>::vector;
  using mask = typename lanes<T>::mask;
  constexpr int width = lanes<T>::count;
  const std::int32_t end = s.first + static_cast<std::int32_t>(s.length);
  const std::int32_t above[3] = {s.neighbour[1] - s.first, s.neighbour[3] - s.first, 1};
  const std::uint8_t* const opened = k.open;
  const std::int64_t stride = k.stride;
  const std::array<T, 3> slope = k.slope;
  for (std::int32_t i = s.first; i < end; i += width) {
    const mask open = open_directions<T>(opened + i);
    vector sum{};
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      const In* const own = u + c * stride + i;
      sum +=
          slope[static_cast<std::size_t>(c)] * (get<vector>(own) - masked<T>(get<vector>(own + above[c]), open, 2 * c + 1));
    }
    if (i + width <= limit)
      done(i, sum);
    else
      for (int l = 0; l < width && i + l < end; ++l) done(i + l, T(sum[l]));
  }
}

}  // namespace detail

/// Call `done(i, (G^T u)_i)` for every cell, as for_each_stokes does; of cells beyond the outlet it is zero.
/// @param u shape (3, stride), ghosts current, zero at faces that do not exist
template <class T, class In, class Done>
void for_each_divergence(const stokes_stencil<T>& k, const In* u, const Done& done) {
  constexpr std::int64_t chunk = 256;
  for_each_block(static_cast<std::int64_t>(k.segments.size()), chunk, [&](std::int64_t begin, std::int64_t end) {
    const auto own = k.segments.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const std::int32_t limit = own.back().first + static_cast<std::int32_t>(own.back().length);
    for (const conduction_segment& s : own) detail::divergence_walk(k, s, limit, u, done);
  });
  for (const conduction_corner& corner : k.corners) {
    T sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const In* const own = u + static_cast<std::int64_t>(c) * k.stride;
      const std::int32_t above = corner.neighbour[2 * c + 1];
      sum += k.slope[c] * (static_cast<T>(own[corner.cell]) - (above == corner.cell ? 0 : static_cast<T>(own[above])));
    }
    done(corner.cell, sum);
  }
  for (const std::int32_t i : k.beyond) done(i, T(0));
}

/// Call `done(component, i, (K x - b)_i)` for the four unknowns of every cell, in any order; component 3 is the pressure's.
/// `done` takes vectors as that of for_each_flux does: it stores what it gets, and the last call has the right value.
/// @param x shape (4, stride), ghosts current, zero at faces that do not exist @param force b at every face of a component
template <class T, class In, class Done>
void for_each_stokes(const stokes_stencil<T>& k, const In* x, const std::array<T, 3>& force, const Done& done) {
  constexpr std::int64_t chunk = 256;
  for_each_block(static_cast<std::int64_t>(k.segments.size()), chunk, [&](std::int64_t begin, std::int64_t end) {
    const auto own = k.segments.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const std::int32_t limit = own.back().first + static_cast<std::int32_t>(own.back().length);
    for (const conduction_segment& s : own) detail::stokes_walk(k, s, limit, x, force, done);
  });
  for (const conduction_corner& c : k.corners) detail::stokes_corner(k, c, x, force, done);
  detail::stokes_open_faces(k, x, force, done);
}

}  // namespace osteon::kernel
