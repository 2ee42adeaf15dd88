#pragma once
/// @file
/// In-place Gauss-Seidel sweeps on runs of cells, for the four operators of the preconditioner of Stokes flow.
///
/// (L x)_i = d_i x_i - sum over the neighbours of g_ij x_j. Rows without an unknown have no diagonal, and their x is zero.
/// The order of cells is that of conduction_relax.hpp; forward and backward sweeps are therefore adjoint. In contrast to
/// conduction_relax.hpp, cells of adjacent segments are coupled like cells of consecutive steps of a segment.
#include <array>
#include <osteon/kernel/flow/segment_steps.hpp>
#include <osteon/kernel/flow/table_lookup.hpp>
#include <osteon/kernel/heat/conduction_relax.hpp>

namespace osteon::kernel {

/// A velocity component: one conductance per axis, and a small table of diagonals. Borrows memory.
struct velocity_lattice {
  const std::uint8_t* open = nullptr;      ///< per cell: bit d is set if there is a neighbour in direction d
  const std::uint8_t* friction = nullptr;  ///< per cell: index of the diagonal; 0: no unknown
  std::array<float, 3> weight{};           ///< g by axis
  const float* diagonal = nullptr;         ///< 64 diagonals by index; the first is 0
  const float* inverse = nullptr;          ///< inverses of the diagonals; the first is 0
};

/// The pressure: one conductance per face. Borrows memory.
struct pressure_lattice {
  const std::uint8_t* open = nullptr;
  std::array<const float*, 3> conductance{};  ///< by axis and cell: conductance of the low face; ghosts must be current
  const float* inverse = nullptr;             ///< per cell: inverse diagonal; 0: no unknown
};

namespace detail {

template <class V>
[[gnu::always_inline]] inline V lattice_inverse(const velocity_lattice& k, std::int32_t i) {
  return looked_up<V>(k.inverse, k.friction + i);
}
template <class V>
[[gnu::always_inline]] inline V lattice_inverse(const pressure_lattice& k, std::int32_t i) {
  return get<V>(k.inverse + i);
}
// Inverse diagonals of a vector of cells; 0: no unknown.
template <class V>
[[gnu::always_inline]] inline V lattice_diagonal(const velocity_lattice& k, std::int32_t i) {
  return looked_up<V>(k.diagonal, k.friction + i);
}
template <class V>
[[gnu::always_inline]] inline V lattice_diagonal(const pressure_lattice& k, std::int32_t i) {
  const V inverse = get<V>(k.inverse + i), diagonal = 1.0F / inverse;
  return inverse > V{} ? diagonal : V{};
}
// Conductances between cells i and their neighbours j in direction d. All neighbours must exist.
template <class V>
[[gnu::always_inline]] inline V lattice_conductance(const velocity_lattice& k, int d, std::int32_t, std::int32_t) {
  return k.weight[static_cast<std::size_t>(d / 2)] + V{};
}
template <class V>
[[gnu::always_inline]] inline V lattice_conductance(const pressure_lattice& k, int d, std::int32_t i, std::int32_t j) {
  return get<V>(k.conductance[static_cast<std::size_t>(d / 2)] + (d % 2 == 0 ? i : j));
}

// True if a neighbour in z or y is a ghost.
inline bool has_ghosts(const conduction_segment& s, std::int32_t ghosts, std::int32_t walls) {
  bool any = false;
  for (const std::int32_t j : s.neighbour) any |= j >= ghosts && j < walls;
  return any;
}

// One pass for N operators with equal conductances and cells, on arrays with offset `stride`. The pass reuses the data of a
// vector.
//
// Along the run, a vector uses the old values of the previous vector, also inside a segment. Old values are read before they
// are overwritten. Hence vectors are independent, and no branch tests for the end of a segment (segment_steps.hpp).
// @tparam Ghosts true if some neighbours are ghosts @param limit end of the part: a vector may rewrite cells before `limit`
// with equal values
template <sweep Way, bool Ghosts, class Lattice, std::size_t N>
void relax_lattice_segments(const std::array<Lattice, N>& k, std::span<const conduction_segment> segments,
                            std::int32_t limit, std::int32_t ghosts, std::int32_t walls, std::int64_t stride, const float* b,
                            float* x) {
  using vector = relaxed;
  using mask = lanes<float>::mask;
  constexpr int width = lanes<float>::count;
  constexpr mask lane = {0, 1, 2, 3, 4, 5, 6, 7}, even = {-1, 0, -1, 0, -1, 0, -1, 0};
  constexpr bool forth = Way == sweep::forth;
  constexpr std::int32_t onward = forth ? 1 : -1;
  if (segments.empty()) return;
  const std::array<Lattice, N> lattices = k;  // copied, because the compiler must assume that `x` aliases `k`
  const std::uint8_t* const opened = lattices[0].open;
  const conduction_segment* s = forth ? &segments.front() : &segments.back();
  const conduction_segment* const last = forth ? &segments.back() : &segments.front();
  // First vector of a segment in sweep direction.
  const auto begin_of = [](const conduction_segment& of) {
    return forth ? of.first : of.first + ((static_cast<std::int32_t>(of.length) - 1) & -width);
  };
  std::int32_t i = begin_of(*s);
  vector behind[N];  // neighbours on the upstream side of the sweep
  for (std::size_t c = 0; c < N; ++c) behind[c] = get<vector>(x + static_cast<std::int64_t>(c) * stride + i - onward);
  for (;;) {
    const std::int32_t first = s->first, left = first + static_cast<std::int32_t>(s->length) - i;
    const std::array<std::int64_t, directions> to{
        s->neighbour[0] - first, s->neighbour[1] - first, s->neighbour[2] - first, s->neighbour[3] - first, -1, 1};
    // Lanes beyond the end keep their values, because one of these values may be the neighbour of the last cell.
    const mask is_inside = lane < left, evens = even & is_inside, odds = ~even & is_inside;
    const mask open = open_directions<float>(opened + i) & is_inside;
    const bool is_whole = width <= left || i + width <= limit;
    const bool is_over = forth ? left <= width : i == first, is_last = is_over && s == last;
    const conduction_segment* const following = s + (is_last || !is_over ? 0 : onward);
    const std::int32_t begin = begin_of(*following), chosen = -static_cast<std::int32_t>(is_over);
    const std::int32_t next = (begin & chosen) | ((i + onward * width) & ~chosen);
    vector g[directions], twice{};
    const auto conduct = [&](const Lattice& own) __attribute__((always_inline)) {
#pragma GCC unroll 6
      for (int d = 0; d < directions; ++d)
        g[d] = masked<float>(
            lattice_conductance<vector>(own, d, i, i + static_cast<std::int32_t>(to[static_cast<std::size_t>(d)])), open, d);
    };
    conduct(lattices[0]);
    if constexpr (Ghosts)
      for (std::size_t d = 0; d < 4; ++d)
        // A ghost keeps its old value during the sweep. The face at a ghost is counted twice in the diagonal, to prevent
        // overshoot of the sweep.
        if (s->neighbour[d] >= ghosts && s->neighbour[d] < walls) twice += g[d];
#pragma GCC unroll 3
    for (std::size_t c = 0; c < N; ++c) {
      const std::int64_t offset = static_cast<std::int64_t>(c) * stride + i;
      float* const values = x + offset;
      const vector here = get<vector>(values), ahead = get<vector>(values + onward);
      vector sum = get<vector>(b + offset), inverse = lattice_inverse<vector>(lattices[c], i);
#pragma GCC unroll 4
      for (std::size_t d = 0; d < 4; ++d) sum += g[d] * get<vector>(values + to[d]);
      if constexpr (Ghosts) {
        sum += twice * here;
        inverse = inverse / (1.0F + inverse * twice);
      }
      vector now;
      if constexpr (forth) {
        now = evens ? inverse * (sum + g[4] * behind[c] + g[5] * ahead) : here;
        const vector right = __builtin_shufflevector(now, ahead, 1, 2, 3, 4, 5, 6, 7, 15);
        now = odds ? inverse * (sum + g[4] * left_in_pair(now) + g[5] * right) : now;
      } else {
        now = odds ? inverse * (sum + g[4] * ahead + g[5] * behind[c]) : here;
        const vector to_left = __builtin_shufflevector(now, ahead, 8, 0, 1, 2, 3, 4, 5, 6);
        now = evens ? inverse * (sum + g[4] * to_left + g[5] * right_in_pair(now)) : now;
      }
      behind[c] = get<vector>(values + (next - i - onward));
      if (is_whole) [[likely]]
        put(values, now);
      else
        for (int l = 0; l < width && l < left; ++l) values[l] = now[l];
    }
    if (is_last) return;
    s = following;
    i = next;
  }
}

template <class Lattice>
void relax_lattice_corner(const Lattice& k, const conduction_corner& c, std::int32_t ghosts, std::int32_t walls,
                          const float* b, float* x) {
  float sum = b[c.cell], twice = 0;
  for (int d = 0; d < directions; ++d) {
    const std::int32_t j = c.neighbour[static_cast<std::size_t>(d)];
    if (j == c.cell) continue;
    const auto g = lattice_conductance<float>(k, d, c.cell, j);
    sum += g * x[j];
    if (j >= ghosts && j < walls) twice += g;
  }
  const auto inverse = lattice_inverse<float>(k, c.cell);
  x[c.cell] = inverse / (1 + inverse * twice) * (sum + twice * x[c.cell]);
}

template <sweep Way, class Lattice, std::size_t N>
void relax_lattice(const std::array<Lattice, N>& k, const conduction_part& part, std::int32_t ghosts, std::int32_t walls,
                   std::int64_t stride, const float* b, float* x) {
  const auto corners = [&] {
    for (std::size_t n = 0; n < part.corners.size(); ++n)
      for (std::size_t c = 0; c < N; ++c)
        relax_lattice_corner(k[c], part.corners[Way == sweep::forth ? n : part.corners.size() - 1 - n], ghosts, walls,
                             b + static_cast<std::int64_t>(c) * stride, x + static_cast<std::int64_t>(c) * stride);
  };
  if (Way == sweep::back) corners();
  const std::int32_t limit = end_of(part.segments);
  // Process sequences of segments with and without adjacent ghosts.
  const std::size_t count = part.segments.size();
  const auto segment = [&](std::size_t n) -> const conduction_segment& {
    return part.segments[Way == sweep::forth ? n : count - 1 - n];
  };
  for (std::size_t n = 0, end = 0; n < count; n = end) {
    const bool with = has_ghosts(segment(n), ghosts, walls);
    while (end < count && has_ghosts(segment(end), ghosts, walls) == with) ++end;
    const auto own = part.segments.subspan(Way == sweep::forth ? n : count - end, end - n);
    if (with)
      relax_lattice_segments<Way, true>(k, own, limit, ghosts, walls, stride, b, x);
    else
      relax_lattice_segments<Way, false>(k, own, limit, ghosts, walls, stride, b, x);
  }
  if (Way == sweep::forth) corners();
}

}  // namespace detail

/// One sweep over cells that no other thread changes or reads: x_i becomes the solution of row i of L x = b.
/// @param ghosts, walls numbers of the first ghost and of the first wall cell @param x written at cells of the part only
template <class Lattice>
void relax(const Lattice& k, const conduction_part& part, std::int32_t ghosts, std::int32_t walls, sweep way, const float* b,
           float* x) {
  if (way == sweep::forth)
    detail::relax_lattice<sweep::forth>(std::array{k}, part, ghosts, walls, 0, b, x);
  else
    detail::relax_lattice<sweep::back>(std::array{k}, part, ghosts, walls, 0, b, x);
}

/// One sweep for the three velocity components, bitwise equal to three separate sweeps.
/// @param k with the same `open` and weights @param b, x shape (3, stride)
inline void relax(const std::array<velocity_lattice, 3>& k, const conduction_part& part, std::int32_t ghosts,
                  std::int32_t walls, sweep way, std::int64_t stride, const float* b, float* x) {
  if (way == sweep::forth)
    detail::relax_lattice<sweep::forth>(k, part, ghosts, walls, stride, b, x);
  else
    detail::relax_lattice<sweep::back>(k, part, ghosts, walls, stride, b, x);
}

/// Sets residual[i - first] = (b - L x)_i at the cells of the part, and zero at cells without an unknown. Single-threaded.
/// @param residual must have space for the padding
template <class Lattice>
void subtract_product(const Lattice& k, const conduction_part& part, const float* b, const float* x, std::int32_t first,
                      float* residual) {
  using vector = lanes<float>::vector;
  const Lattice own = k;
  // Lanes beyond the end of a segment belong to later cells, which are recomputed.
  detail::step_through<lanes<float>::count>(part.segments, [&](std::int32_t i,
                                                               const std::array<std::int64_t, directions>& to,
                                                               std::int32_t) __attribute__((always_inline)) {
    const auto open = detail::open_directions<float>(own.open + i);
    const vector diagonal = detail::lattice_diagonal<vector>(own, i);
    vector sum = get<vector>(b + i) - diagonal * get<vector>(x + i), others{};
#pragma GCC unroll 3
    for (int axis = 0; axis < 3; ++axis) {
      const auto product = [&](int d) __attribute__((always_inline)) {
        const std::int64_t by = to[static_cast<std::size_t>(d)];
        const std::int32_t j = i + static_cast<std::int32_t>(by);
        return detail::masked<float>(detail::lattice_conductance<vector>(own, d, i, j), open, d) * get<vector>(x + i + by);
      };
      sum += product(2 * axis);
      others += product(2 * axis + 1);
    }
    put(residual + (i - first), diagonal > vector{} ? sum + others : vector{});
  });
  for (const conduction_corner& c : part.corners) {
    const auto diagonal = detail::lattice_diagonal<float>(k, c.cell);
    float sum = diagonal > 0 ? b[c.cell] - diagonal * x[c.cell] : 0;
    if (diagonal > 0)
      for (int d = 0; d < directions; ++d)
        if (const std::int32_t j = c.neighbour[static_cast<std::size_t>(d)]; j != c.cell)
          sum += detail::lattice_conductance<float>(k, d, c.cell, j) * x[j];
    residual[c.cell - first] = sum;
  }
}

}  // namespace osteon::kernel
