#pragma once
/// @file
/// In-place Gauss-Seidel sweeps of the conduction operator on runs of cells.
///
/// A step updates the cells of one vector register, first the even lanes, then the odd lanes. The odd lanes use the new even
/// values. Along the run, a step uses the old values of the previous step; steps are therefore independent. Each cell has at
/// most one neighbour with such an old value; the sweep is therefore still a contraction. The backward sweep updates the
/// cells in the opposite order. Forward and backward sweeps are therefore adjoint, and a cycle with forward smoothing before
/// and backward smoothing after the correction is symmetric.
#include <osteon/kernel/heat/conduction.hpp>

namespace osteon::kernel {

enum class sweep { forth, back };

namespace detail {

// Lane l of the result is lane l - 1 (left) or l + 1 (right) of v; the remaining lane is the last or first lane of `beyond`.
using relaxed = lanes<float>::vector;
[[gnu::always_inline]] inline relaxed left_of(relaxed v, relaxed beyond) {
  return __builtin_shufflevector(beyond, v, 7, 8, 9, 10, 11, 12, 13, 14);
}
[[gnu::always_inline]] inline relaxed right_of(relaxed v, relaxed beyond) {
  return __builtin_shufflevector(v, beyond, 1, 2, 3, 4, 5, 6, 7, 8);
}
// Faster variants for two cases: only odd lanes use their left neighbours, or only even lanes use their right neighbours. In
// both cases, a lane and its neighbour are in one pair.
[[gnu::always_inline]] inline relaxed left_in_pair(relaxed v) {
  return __builtin_shufflevector(v, v, 0, 0, 2, 2, 4, 4, 6, 6);
}
[[gnu::always_inline]] inline relaxed right_in_pair(relaxed v) {
  return __builtin_shufflevector(v, v, 1, 1, 3, 3, 5, 5, 7, 7);
}

// @param limit end of the part: the last step may rewrite cells before `limit` with equal values
template <bool Uniform, sweep Way>
void relax_segment(const conduction_stencil<float>& k, const conduction_segment& s, std::int32_t limit, std::int32_t ghosts,
                   std::int32_t walls, const float* b, float* x) {
  using vector = relaxed;
  using mask = lanes<float>::mask;
  constexpr int width = lanes<float>::count;
  static_assert(width == 8);
  constexpr mask lane = {0, 1, 2, 3, 4, 5, 6, 7}, even = {-1, 0, -1, 0, -1, 0, -1, 0};
  const material_number own = k.material[s.first];
  const float half = 0.5F / k.resistivity[own];
  const auto length = static_cast<std::int32_t>(s.length);
  const std::int32_t steps = (length + width - 1) / width;
  // Copy the constants of the segment, because the compiler must assume that `x` aliases them.
  const std::uint8_t* const open_at = k.open + s.first;
  const float *const right_side = b + s.first, *rows[4];
  float* const values = x + s.first;
  bool is_ghost[4], has_ghosts = false;
  for (std::size_t d = 0; d < 4; ++d) {
    rows[d] = x + s.neighbour[d];
    is_ghost[d] = s.neighbour[d] >= ghosts && s.neighbour[d] < walls;
    has_ghosts |= is_ghost[d];
  }
  vector face[3];
  for (std::size_t axis = 0; axis < 3; ++axis) face[axis] = k.face[axis] * (Uniform ? half : 1) + vector{};
  vector stored = k.storage[own] + vector{};
  // Old values of the previous step; initially the value beyond the upstream end of the segment.
  vector beyond = values[Way == sweep::forth ? -1 : length] + vector{};
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::int32_t n = width * (Way == sweep::forth ? step : steps - 1 - step);
    mask open = open_directions<float>(open_at + n), is_inside = mask{} - 1;
    const vector here = get<vector>(values + n);
    vector sum = get<vector>(right_side + n), resistance = {};
    if constexpr (!Uniform)
      for (int l = 0; l < width; ++l) {
        resistance[l] = k.resistivity[k.material[s.first + n + l]];
        stored[l] = k.storage[k.material[s.first + n + l]];
      }
    if (n + width > length) is_inside = lane < (length - n), open &= is_inside;
    const auto conductance = [&](int d, std::int32_t j) __attribute__((always_inline)) {
      vector g = face[d / 2];
      if constexpr (!Uniform) {
        vector there;
        for (int l = 0; l < width; ++l) there[l] = k.resistivity[k.material[j + l]];
        g /= resistance + there;
      }
      return masked<float>(g, open, d);
    };
    vector diagonal = stored;
#pragma GCC unroll 4
    for (int d = 0; d < 4; ++d) {
      const auto at = static_cast<std::size_t>(d);
      const vector g = conductance(d, s.neighbour[at] + n);
      diagonal += g;
      sum += g * get<vector>(rows[at] + n);
      // A ghost keeps its old value during the sweep. The face at a ghost is counted twice in the diagonal, to prevent
      // overshoot of the sweep.
      if (has_ghosts && is_ghost[at]) diagonal += g, sum += g * here;
    }
    const vector to_left = conductance(4, s.first + n - 1), to_right = conductance(5, s.first + n + 1);
    diagonal += to_left + to_right;
    const vector inverse = diagonal > vector{} ? 1.0F / diagonal : vector{};
    // Lanes beyond the end keep their values, because one of these values may be the neighbour of the last cell.
    const mask evens = even & is_inside, odds = ~even & is_inside;
    vector now;
    if constexpr (Way == sweep::forth) {
      const vector ahead = values[n + width] + vector{};
      now = evens ? inverse * (sum + to_left * left_of(here, beyond) + to_right * right_in_pair(here)) : here;
      now = odds ? inverse * (sum + to_left * left_in_pair(now) + to_right * right_of(now, ahead)) : now;
    } else {
      const vector ahead = values[n - 1] + vector{};
      now = odds ? inverse * (sum + to_left * left_in_pair(here) + to_right * right_of(here, beyond)) : here;
      now = evens ? inverse * (sum + to_left * left_of(now, ahead) + to_right * right_in_pair(now)) : now;
    }
    if (n + width <= length || s.first + n + width <= limit)
      put(values + n, now);
    else
      for (int l = 0; n + l < length; ++l) values[n + l] = now[l];
    beyond = here;
  }
}

inline void relax_corner(const conduction_stencil<float>& k, const conduction_corner& c, std::int32_t ghosts,
                         std::int32_t walls, const float* b, float* x) {
  float sum = b[c.cell], diagonal = k.storage[k.material[c.cell]];
  for (int d = 0; d < directions; ++d) {
    const std::int32_t j = c.neighbour[static_cast<std::size_t>(d)];
    if (j == c.cell) continue;
    const float g = conductance(k, d, c.cell, j);
    sum += g * x[j];
    diagonal += g;
    if (j < ghosts || j >= walls) continue;
    sum += g * x[c.cell];
    diagonal += g;
  }
  x[c.cell] = diagonal > 0 ? sum / diagonal : 0;
}

template <sweep Way>
void relax(const conduction_stencil<float>& k, const conduction_part& part, std::int32_t ghosts, std::int32_t walls,
           const float* b, float* x) {
  const auto corners = [&] {
    for (std::size_t n = 0; n < part.corners.size(); ++n)
      relax_corner(k, part.corners[Way == sweep::forth ? n : part.corners.size() - 1 - n], ghosts, walls, b, x);
  };
  if (Way == sweep::back) corners();
  const std::int32_t limit =
      part.segments.empty() ? 0 : part.segments.back().first + static_cast<std::int32_t>(part.segments.back().length);
  for (std::size_t n = 0; n < part.segments.size(); ++n) {
    const conduction_segment& s = part.segments[Way == sweep::forth ? n : part.segments.size() - 1 - n];
    if (s.uniform)
      relax_segment<true, Way>(k, s, limit, ghosts, walls, b, x);
    else
      relax_segment<false, Way>(k, s, limit, ghosts, walls, b, x);
  }
  if (Way == sweep::forth) corners();
}

}  // namespace detail

/// One sweep over cells that no other thread changes or reads: x_i becomes the solution of row i of K x = b.
/// An isolated cell becomes zero.
/// @param ghosts, walls numbers of the first ghost and of the first wall cell @param x written at cells of the part only
inline void relax(const conduction_stencil<float>& k, const conduction_part& part, std::int32_t ghosts, std::int32_t walls,
                  sweep way, const float* b, float* x) {
  if (way == sweep::forth)
    detail::relax<sweep::forth>(k, part, ghosts, walls, b, x);
  else
    detail::relax<sweep::back>(k, part, ghosts, walls, b, x);
}

}  // namespace osteon::kernel
