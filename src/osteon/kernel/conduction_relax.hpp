#pragma once
/// @file
/// Gauss-Seidel sweeps of the conduction operator on runs of cells, in place.
///
/// A step takes the cells of one vector register: first its even lanes, then the odd ones, which see the new even ones.
/// Along the run it sees the step before as that was, so that steps need not wait for each other; each cell has at most one
/// such neighbour, hence the sweep still contracts. The step back takes all cells in the opposite order, so the two are the
/// adjoints of each other, and a cycle that smooths forth before its correction and back after it is symmetric.
#include <osteon/kernel/conduction.hpp>

namespace osteon::kernel {

enum class sweep { forth, back };

namespace detail {

// Lane l of the result is lane l - 1, or lane l + 1; the lane that has none is `beyond`.
template <sweep From, class T>
[[gnu::always_inline]] inline typename lanes<T>::vector moved(typename lanes<T>::vector v, T beyond) {
  static_assert(lanes<T>::count == 8);
  if constexpr (From == sweep::forth) {
    v = __builtin_shufflevector(v, v, 7, 0, 1, 2, 3, 4, 5, 6);
    v[0] = beyond;
  } else {
    v = __builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 0);
    v[7] = beyond;
  }
  return v;
}

template <bool Uniform, sweep Way>
void relax_segment(const conduction_stencil<float>& k, const conduction_segment& s, std::int32_t ghosts, std::int32_t walls,
                   const float* b, float* x) {
  using vector = lanes<float>::vector;
  using mask = lanes<float>::mask;
  constexpr int width = lanes<float>::count;
  typedef std::uint8_t bytes __attribute__((vector_size(width)));
  constexpr mask lane = {0, 1, 2, 3, 4, 5, 6, 7},
                 first_half = Way == sweep::forth ? mask{-1, 0, -1, 0, -1, 0, -1, 0} : mask{0, -1, 0, -1, 0, -1, 0, -1};
  const std::uint8_t own = k.material[s.first];
  const float half = 0.5F / k.resistivity[own];
  const auto length = static_cast<std::int32_t>(s.length);
  const std::int32_t steps = (length + width - 1) / width;
  std::array<std::int32_t, directions> to{0, 0, 0, 0, -1, 1};
  std::array<float, directions> weight{1, 1, 1, 1, 1, 1};
  for (std::size_t d = 0; d < 4; ++d) {
    to[d] = s.neighbour[d] - s.first;
    if (s.neighbour[d] >= ghosts && s.neighbour[d] < walls) weight[d] = 2;
  }
  // The value beyond the step on the side that the sweep comes from.
  float carried = x[Way == sweep::forth ? s.first - 1 : s.first + length];
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::int32_t n = width * (Way == sweep::forth ? step : steps - 1 - step), i = s.first + n;
    bytes packed;
    load(packed, k.open + i);
    const mask is_inside = lane < (length - n), open = __builtin_convertvector(packed, mask) & is_inside;
    vector resistance = {}, sum = get<vector>(b + i), diagonal = k.storage[own] + vector{}, sideways[2] = {};
    const vector here = get<vector>(x + i);
    if constexpr (!Uniform)
      for (int l = 0; l < width; ++l) {
        resistance[l] = k.resistivity[k.material[i + l]];
        diagonal[l] = k.storage[k.material[i + l]];
      }
#pragma GCC unroll 6
    for (int d = 0; d < directions; ++d) {
      const std::int32_t j = i + to[static_cast<std::size_t>(d)];
      const float face = k.face[static_cast<std::size_t>(d / 2)];
      vector g;
      if constexpr (Uniform) {
        g = face * half + vector{};
      } else {
        for (int l = 0; l < width; ++l) g[l] = k.resistivity[k.material[j + l]];
        g = face / (resistance + g);
      }
      g = masked<float>(g, open, d);
      diagonal += weight[static_cast<std::size_t>(d)] * g;
      if (d < 4)
        sum += g * get<vector>(x + j);
      else
        sideways[d - 4] = g;
      // A ghost keeps its old value for the whole sweep. Counted twice in the diagonal, its face cannot overshoot.
      if (d < 4 && weight[static_cast<std::size_t>(d)] != 1) sum += g * here;
    }
    const vector inverse = diagonal > vector{} ? 1.0F / diagonal : vector{};
    const float left = Way == sweep::forth ? carried : x[i - 1], right = Way == sweep::forth ? x[i + width] : carried;
    const auto update = [&](vector now) {
      return inverse * (sum + sideways[0] * moved<sweep::forth, float>(now, left) +
                        sideways[1] * moved<sweep::back, float>(now, right));
    };
    // Lanes beyond the end keep what lies there: it may be the neighbour of the last one inside.
    vector now = (first_half & is_inside) != 0 ? update(here) : here;
    now = (~first_half & is_inside) != 0 ? update(now) : now;
    if (n + width <= length)
      put(x + i, now);
    else
      for (int l = 0; n + l < length; ++l) x[i + l] = now[l];
    carried = Way == sweep::forth ? here[width - 1] : here[0];
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
  for (std::size_t n = 0; n < part.segments.size(); ++n) {
    const conduction_segment& s = part.segments[Way == sweep::forth ? n : part.segments.size() - 1 - n];
    if (s.uniform)
      relax_segment<true, Way>(k, s, ghosts, walls, b, x);
    else
      relax_segment<false, Way>(k, s, ghosts, walls, b, x);
  }
  if (Way == sweep::forth) corners();
}

}  // namespace detail

/// One sweep over cells that no other thread changes or reads: x_i becomes the solution of row i of K x = b.
/// A cell that exchanges heat with nothing becomes zero.
/// @param ghosts, walls numbers of the first ghost and of the first wall cell @param x written at cells of the part only
inline void relax(const conduction_stencil<float>& k, const conduction_part& part, std::int32_t ghosts, std::int32_t walls,
                  sweep way, const float* b, float* x) {
  if (way == sweep::forth)
    detail::relax<sweep::forth>(k, part, ghosts, walls, b, x);
  else
    detail::relax<sweep::back>(k, part, ghosts, walls, b, x);
}

}  // namespace osteon::kernel
