#pragma once
/// @file
/// Gauss-Seidel sweeps of the four operators of Stokes flow's preconditioner on runs of cells, in place.
///
/// (L x)_i = d_i x_i - sum over the neighbours of g_ij x_j. Rows without an unknown have no diagonal; their x is zero. The
/// order of the cells is that of conduction_relax.hpp, from which the two directions of a sweep are each other's adjoints.
#include <array>
#include <osteon/kernel/flow/table_lookup.hpp>
#include <osteon/kernel/heat/conduction_relax.hpp>

namespace osteon::kernel {

/// A component of the velocity: one conductance by axis, some values of the diagonal. Borrowed memory.
struct velocity_lattice {
  const std::uint8_t* open = nullptr;      ///< per cell: bit d is set if there is a neighbour in direction d
  const std::uint8_t* friction = nullptr;  ///< per cell: number of its diagonal; 0: no unknown
  std::array<float, 3> weight{};           ///< g by axis
  const float* diagonal = nullptr;         ///< by number, 64 of them; the first one is 0
  const float* inverse = nullptr;          ///< of the diagonals; the first one is 0
};

/// The pressure: a conductance for each face. Borrowed memory.
struct pressure_lattice {
  const std::uint8_t* open = nullptr;
  std::array<const float*, 3> conductance{};  ///< by axis, per cell: of its low face; ghosts current
  const float* inverse = nullptr;             ///< per cell, of its diagonal; 0: no unknown
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
// 0: no unknown.
template <class V>
[[gnu::always_inline]] inline V lattice_diagonal(const velocity_lattice& k, std::int32_t i) {
  return looked_up<V>(k.diagonal, k.friction + i);
}
template <class V>
[[gnu::always_inline]] inline V lattice_diagonal(const pressure_lattice& k, std::int32_t i) {
  const V inverse = get<V>(k.inverse + i), diagonal = 1.0F / inverse;
  return inverse > V{} ? diagonal : V{};
}
// Conductances between cells i and their neighbours j in direction d, as if all were there.
template <class V>
[[gnu::always_inline]] inline V lattice_conductance(const velocity_lattice& k, int d, std::int32_t, std::int32_t) {
  return k.weight[static_cast<std::size_t>(d / 2)] + V{};
}
template <class V>
[[gnu::always_inline]] inline V lattice_conductance(const pressure_lattice& k, int d, std::int32_t i, std::int32_t j) {
  return get<V>(k.conductance[static_cast<std::size_t>(d / 2)] + (d % 2 == 0 ? i : j));
}

// N operators on the same cells, whose arrays are `stride` apart, in one pass: what is known of a segment serves them all.
// @param limit cells before it are of the same part, so that a last step may write them again as they are
template <sweep Way, class Lattice, std::size_t N>
void relax_lattice_segment(const std::array<Lattice, N>& k, const conduction_segment& s, std::int32_t limit,
                           std::int32_t ghosts, std::int32_t walls, std::int64_t stride, const float* b, float* x) {
  using vector = relaxed;
  using mask = lanes<float>::mask;
  constexpr int width = lanes<float>::count;
  constexpr mask lane = {0, 1, 2, 3, 4, 5, 6, 7}, even = {-1, 0, -1, 0, -1, 0, -1, 0};
  const auto length = static_cast<std::int32_t>(s.length);
  const std::int32_t steps = (length + width - 1) / width;
  const std::array<Lattice, N> lattices = k;  // `x` may be any of it for all that the compiler knows
  const std::uint8_t* const opened = lattices[0].open;
  bool is_ghost[4], has_ghosts = false;
  for (std::size_t d = 0; d < 4; ++d) {
    is_ghost[d] = s.neighbour[d] >= ghosts && s.neighbour[d] < walls;
    has_ghosts |= is_ghost[d];
  }
  vector beyond[N];
  for (std::size_t c = 0; c < N; ++c)
    beyond[c] = x[static_cast<std::int64_t>(c) * stride + s.first + (Way == sweep::forth ? -1 : length)] + vector{};
  for (std::int32_t step = 0; step < steps; ++step) {
    const std::int32_t n = width * (Way == sweep::forth ? step : steps - 1 - step), i = s.first + n;
    mask open = open_directions<float>(opened + i), is_inside = mask{} - 1;
    if (n + width > length) is_inside = lane < (length - n), open &= is_inside;
    // Lanes beyond the end keep what lies there: it may be the neighbour of the last one inside.
    const mask evens = even & is_inside, odds = ~even & is_inside;
    const bool is_whole = n + width <= length || i + width <= limit;
#pragma GCC unroll 3
    for (std::size_t c = 0; c < N; ++c) {
      const Lattice& own = lattices[c];
      float* const values = x + static_cast<std::int64_t>(c) * stride;
      const vector here = get<vector>(values + i);
      vector sum = get<vector>(b + static_cast<std::int64_t>(c) * stride + i), inverse = lattice_inverse<vector>(own, i),
             twice = {};
#pragma GCC unroll 4
      for (int d = 0; d < 4; ++d) {
        const std::int32_t j = s.neighbour[d] + n;
        const vector g = masked<float>(lattice_conductance<vector>(own, d, i, j), open, d);
        sum += g * get<vector>(values + j);
        // A ghost keeps its old value for the whole sweep. Counted twice in the diagonal, its face cannot overshoot.
        if (has_ghosts && is_ghost[d]) twice += g;
      }
      if (has_ghosts) {
        sum += twice * here;
        inverse = inverse / (1.0F + inverse * twice);
      }
      const vector to_left = masked<float>(lattice_conductance<vector>(own, 4, i, i - 1), open, 4),
                   to_right = masked<float>(lattice_conductance<vector>(own, 5, i, i + 1), open, 5);
      vector now;
      if constexpr (Way == sweep::forth) {
        const vector ahead = values[i + width] + vector{};
        now = evens ? inverse * (sum + to_left * left_of(here, beyond[c]) + to_right * right_in_pair(here)) : here;
        now = odds ? inverse * (sum + to_left * left_in_pair(now) + to_right * right_of(now, ahead)) : now;
      } else {
        const vector ahead = values[i - 1] + vector{};
        now = odds ? inverse * (sum + to_left * left_in_pair(here) + to_right * right_of(here, beyond[c])) : here;
        now = evens ? inverse * (sum + to_left * left_of(now, ahead) + to_right * right_in_pair(now)) : now;
      }
      if (is_whole)
        put(values + i, now);
      else
        for (int l = 0; n + l < length; ++l) values[i + l] = now[l];
      beyond[c] = here;
    }
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
  const std::int32_t limit =
      part.segments.empty() ? 0 : part.segments.back().first + static_cast<std::int32_t>(part.segments.back().length);
  for (std::size_t n = 0; n < part.segments.size(); ++n)
    relax_lattice_segment<Way>(k, part.segments[Way == sweep::forth ? n : part.segments.size() - 1 - n], limit, ghosts,
                               walls, stride, b, x);
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

/// The same for the three components of the velocity at once, to the same bits.
/// @param k with the same `open` @param b, x shape (3, stride)
inline void relax(const std::array<velocity_lattice, 3>& k, const conduction_part& part, std::int32_t ghosts,
                  std::int32_t walls, sweep way, std::int64_t stride, const float* b, float* x) {
  if (way == sweep::forth)
    detail::relax_lattice<sweep::forth>(k, part, ghosts, walls, stride, b, x);
  else
    detail::relax_lattice<sweep::back>(k, part, ghosts, walls, stride, b, x);
}

/// residual[i - first] = (b - L x)_i at the cells of the part; zero where there is no unknown. On one thread.
/// @param residual with room for the padding
template <class Lattice>
void subtract_product(const Lattice& k, const conduction_part& part, const float* b, const float* x, std::int32_t first,
                      float* residual) {
  using vector = lanes<float>::vector;
  using mask = lanes<float>::mask;
  constexpr int width = lanes<float>::count;
  for (const conduction_segment& s : part.segments) {
    const std::int32_t end = s.first + static_cast<std::int32_t>(s.length);
    const Lattice own = k;
    const std::int32_t to[directions] = {
        s.neighbour[0] - s.first, s.neighbour[1] - s.first, s.neighbour[2] - s.first, s.neighbour[3] - s.first, -1, 1};
    for (std::int32_t i = s.first; i < end; i += width) {  // lanes beyond the end belong to later cells, which come again
      const mask open = detail::open_directions<float>(own.open + i);
      const vector diagonal = detail::lattice_diagonal<vector>(own, i);
      vector sum = get<vector>(b + i) - diagonal * get<vector>(x + i);
#pragma GCC unroll 6
      for (int d = 0; d < directions; ++d)
        sum += detail::masked<float>(detail::lattice_conductance<vector>(own, d, i, i + to[d]), open, d) *
               get<vector>(x + i + to[d]);
      put(residual + (i - first), diagonal > vector{} ? sum : vector{});
    }
  }
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
