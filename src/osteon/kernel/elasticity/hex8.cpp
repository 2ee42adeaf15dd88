#include <osteon/kernel/elasticity/hex8.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/kernel/plane_sweep.hpp>
#include <osteon/kernel/unrolled.hpp>

namespace osteon::kernel {

namespace {

constexpr int bit_of[3] = {4, 2, 1};  // bit of axis z, y, x in a corner or mode number
constexpr int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

constexpr int bits(int p) { return (p & 1) + (p >> 1 & 1) + (p >> 2 & 1); }

// Block p contains component c of mode p ^ bit_of[c]. The displacement is a sum of modes phi_m; phi_m is the product of xi_d
// in [-1, 1] over the axes d of m. Hence d phi_m / dx_d = (2 / h_d) phi_{m without d}, and phi_m has the mean square 3^-|m|.
// The energy is lambda (div u)^2 + 2 mu eps:eps. Forward and inverse transform are not normalised; hence the factor 1/64.
void block_coefficients(vector3 spacing, double (&by_lambda)[8][6], double (&by_mu)[8][6]) {
  const double scale = spacing.z * spacing.y * spacing.x / 64;
  const double slope[3] = {2 / spacing.z, 2 / spacing.y, 2 / spacing.x};
  const auto mean_square = [](int p) {
    double value = 1;
    for (int k = bits(p); k > 0; --k) value /= 3;
    return value;
  };
  for (int p = 0; p < 8; ++p) {
    for (int c = 0; c < 3; ++c) {
      const double normal = slope[c] * slope[c] * mean_square(p);
      by_lambda[p][c] = (p & bit_of[c]) ? 0 : scale * normal;
      by_mu[p][c] = (p & bit_of[c]) ? 0 : scale * 2 * normal;
      for (int d = 0; d < 3; ++d)  // the shear of c along d: mode p ^ bit_of[c] must vary along d
        if (d != c && (p & bit_of[d]))
          by_mu[p][c] += scale * slope[d] * slope[d] * mean_square((p ^ bit_of[c]) & ~bit_of[d]);
    }
    for (int k = 0; k < 3; ++k) {
      const int c = pairs[k][0], d = pairs[k][1], both = bit_of[c] | bit_of[d];
      by_lambda[p][3 + k] = (p & both) == 0 ? scale * slope[c] * slope[d] * mean_square(p) : 0;
      by_mu[p][3 + k] = (p & both) == both ? scale * slope[c] * slope[d] * mean_square(p & ~both) : 0;
    }
  }
}

constexpr bool couples(int p, int k) {
  const int both = bit_of[pairs[k][0]] | bit_of[pairs[k][1]];
  return (p & both) == 0 || (p & both) == both;
}

// The value 1, hidden from the compiler. This kernel has three times as many additions as multiplications, but cores have
// separate units for additions and multiplications. a * one + b equals a + b exactly and uses a multiplication unit.
template <class V>
[[gnu::always_inline]] inline V unknown_one() {
  V one = V{} + 1;
#if defined(__FMA__) && defined(__AVX__)
  asm("" : "+x"(one));
#endif
  return one;
}

// Sums and differences along y, then z, of four rows (z, y): modes 0, y, z, zy. Applied twice, the transform is four times
// the identity. With `no_sum` the sum over all rows is omitted, because it
// represents a translation, which causes no force.
template <bool no_sum, class V>
[[gnu::always_inline]] inline void butterfly(V (&u)[4], V one) {
  const V a = u[0] + u[1], b = u[0] * one - u[1], c = u[2] + u[3], d = u[2] * one - u[3];
  if constexpr (!no_sum) u[0] = a + c;
  u[1] = b + d, u[2] = a * one - c, u[3] = b * one - d;
}

// Maximum number of materials with tabulated coefficients (1.5 KiB per material).
constexpr std::size_t most_tabulated = 256;

// Forces of block p for bricks of one material.
template <class T>
struct of_one_material {
  const typename hex8_stiffness<T>::coefficients& k;

  template <int p, class V>
  [[gnu::always_inline]] void apply(V& a, V& b, V& c) const {
    const V(&v)[6] = k.value[p];
    V fz{}, fy{}, fx{};
    if constexpr (p != 4) fz = v[0] * a;
    if constexpr (p != 2) fy = v[1] * b;
    if constexpr (p != 1) fx = v[2] * c;
    if constexpr (couples(p, 0)) fz += v[3] * b, fy += v[3] * a;
    if constexpr (couples(p, 1)) fz += v[4] * c, fx += v[4] * a;
    if constexpr (couples(p, 2)) fy += v[5] * c, fx += v[5] * b;
    a = fz, b = fy, c = fx;
  }
};

// Forces of block p for lanes with different materials.
template <class T>
struct of_any_material {
  using vector = typename lanes<T>::vector;
  const lame_blocks<vector>& k;
  vector lambda, varying, mu;  // `varying` is lambda for the dilatation minus its mean

  template <int p, class V>
  [[gnu::always_inline]] void apply(V& a, V& b, V& c) const {
    const V(&v)[3] = k.root[p], (&m)[6] = k.mu[p];
    V pressure{}, fz{}, fy{}, fx{};
    if constexpr (!(p & 4)) pressure += v[0] * a;
    if constexpr (!(p & 2)) pressure += v[1] * b;
    if constexpr (!(p & 1)) pressure += v[2] * c;
    if constexpr (p != 4) fz = m[0] * a;
    if constexpr (p != 2) fy = m[1] * b;
    if constexpr (p != 1) fx = m[2] * c;
    if constexpr ((p & 6) == 6) fz += m[3] * b, fy += m[3] * a;
    if constexpr ((p & 5) == 5) fz += m[4] * c, fx += m[4] * a;
    if constexpr ((p & 3) == 3) fy += m[5] * c, fx += m[5] * b;
    pressure *= p == 0 ? lambda : varying, fz *= mu, fy *= mu, fx *= mu;
    if constexpr (!(p & 4)) fz += v[0] * pressure;
    if constexpr (!(p & 2)) fy += v[1] * pressure;
    if constexpr (!(p & 1)) fx += v[2] * pressure;
    a = fz, b = fy, c = fx;
  }
};

// Shift up by one lane; lane 0 of the result is the last lane of `before`.
inline __attribute__((always_inline)) lanes<float>::vector shifted(const lanes<float>::vector& before,
                                                                   const lanes<float>::vector& v) {
  return __builtin_shufflevector(before, v, 7, 8, 9, 10, 11, 12, 13, 14);
}
inline __attribute__((always_inline)) lanes<double>::vector shifted(const lanes<double>::vector& before,
                                                                    const lanes<double>::vector& v) {
  return __builtin_shufflevector(before, v, 3, 4, 5, 6);
}

// A load at offset width - n yields a mask of the first n lanes.
template <class I>
constexpr auto first_lanes = [] {
  std::array<I, 64 / sizeof(I)> places{};
  for (std::size_t i = 0; i < places.size() / 2; ++i) places[i] = -1;
  return places;
}();

// Keep a loaded value in a register. Otherwise the compiler would load the value again, and loads limit the speed of this
// kernel.
template <class V>
[[gnu::always_inline]] inline void keep_in_register([[maybe_unused]] V& v) {
#ifdef __AVX__
  asm("" : "+x"(v));
#endif
}

// Position of a step in its run. `inside`: `width` bricks, followed by further bricks. `tail`: the last `count` < width
// bricks. `last_tail`: as `tail`, but a full vector would exceed the nodes of the plane; the next nodes may belong to
// another thread.
enum class place { inside, tail, last_tail };
// Treatment of the fourth row of nodes: add forces to the row, or set the row. Previous bricks do not share this row.
enum class fourth_row { add, set };
template <place where, fourth_row fourth, class X, class T, class V, class K>
[[gnu::always_inline]] inline void add_bricks(const X* const (&x)[3], T* const (&y)[3], const std::int64_t (&at)[4],
                                              int count, const K& k, V (&carry)[3][4]) {
  constexpr int width = lanes<T>::count;
  using mask = typename lanes<T>::mask;
  // Modes are sums or differences along x, y and z. The transform along x is first.
  V sums[3][4], differences[3][4];
  const V one = unknown_one<V>();
  unrolled<3>([&](auto c) __attribute__((always_inline)) {
    unrolled<4>([&](auto row) __attribute__((always_inline)) {
      V lower = get<V>(x[c] + at[row]), upper = get<V>(x[c] + at[row] + 1);
      keep_in_register(lower), keep_in_register(upper);
      sums[c][row] = lower + upper, differences[c][row] = lower - upper;
    });
    butterfly<true>(sums[c], one);
    butterfly<false>(differences[c], one);
  });
  asm volatile("" ::
                   : "memory");  // prevents the compiler from interleaving the steps; interleaved steps would spill more
                                 // registers than this code stores
  // Blocks 2 q and 2 q + 1 differ in x only. For components z and y, the even block uses sums and the odd block uses
  // differences. Both blocks together yield the forces at the lower and upper corners, as modes in z and y.
  V force[3][4];
  unrolled<4>([&](auto q) __attribute__((always_inline)) {
    constexpr int mode[3] = {q ^ 2, q ^ 1, q};
    V even[3] = {sums[0][mode[0]], sums[1][mode[1]], differences[2][mode[2]]};
    V odd[3] = {differences[0][mode[0]], differences[1][mode[1]], sums[2][mode[2]]};
    k.template apply<2 * q>(even[0], even[1], even[2]);
    k.template apply<2 * q + 1>(odd[0], odd[1], odd[2]);
    unrolled<3>([&](auto c) __attribute__((always_inline)) {
      V lower, upper;
      if constexpr (2 * q == bit_of[c])
        lower = odd[c], upper = -odd[c];
      else if constexpr (2 * q + 1 == bit_of[c])
        lower = even[c], upper = -even[c];
      else
        lower = even[c] + odd[c], upper = c == 2 ? odd[c] - even[c] : even[c] - odd[c];
      if constexpr (where != place::inside) {
        // Lanes beyond the run belong to nodes of other bricks and must add 0.
        const auto valid = get<mask>(first_lanes<typename lanes<T>::integer>.data() + width - count);
        lower = reinterpret_cast<V>(reinterpret_cast<mask>(lower) & valid);
        upper = reinterpret_cast<V>(reinterpret_cast<mask>(upper) & valid);
      }
      // Node at + i is the lower corner of brick i and the upper corner of brick i - 1. A shift in registers combines the
      // contributions of both bricks. Each node is then read and written once instead of twice in sequence.
      force[c][mode[c]] = lower + shifted(carry[c][mode[c]], upper);
      carry[c][mode[c]] = upper;
    });
  });
  unrolled<3>([&](auto c) __attribute__((always_inline)) {
    butterfly<false>(force[c], one);
    unrolled<4>([&](auto row) __attribute__((always_inline)) {
      T* to = y[c] + at[row];
      constexpr bool set = fourth == fourth_row::set && row == 3;
      if constexpr (where != place::last_tail) {
        // Nodes beyond a tail may be set to 0 if they have no value yet; otherwise 0 is added.
        store(to, set ? force[c][row] : get<V>(to) + force[c][row]);
      } else {
        for (int i = 0; i <= count; ++i) to[i] = set ? force[c][row][i] : to[i] + force[c][row][i];
      }
    });
  });
}

// @param material_at returns the argument of add_bricks for the numbers of processed and remaining bricks
template <fourth_row fourth, class X, class T, class M>
void add_run(const hex8_run& run, const std::int32_t* node_end, M material_at, const X* x, T* y, std::int64_t stride) {
  constexpr int width = lanes<T>::count;
  typename lanes<T>::vector carry[3][4]{};
  const X* const xs[3] = {x, x + stride, x + 2 * stride};
  T* const ys[3] = {y, y + stride, y + 2 * stride};
  std::int64_t at[4] = {run.node[0], run.node[1], run.node[2], run.node[3]};
  int done = 0;
  for (; done + width <= run.length; done += width) {
    add_bricks<place::inside, fourth>(xs, ys, at, width, material_at(done, width), carry);
    for (std::int64_t& a : at) a += width;
  }
  if (const int count = run.length - done; count > 0) {
    if (at[1] + width <= node_end[0] && at[3] + width <= node_end[1])
      add_bricks<place::tail, fourth>(xs, ys, at, count, material_at(done, count), carry);
    else
      add_bricks<place::last_tail, fourth>(xs, ys, at, count, material_at(done, count), carry);
  } else {
    for (int c = 0; c < 3; ++c) {
      T force[4];
      for (int row = 0; row < 4; ++row) force[row] = carry[c][row][width - 1];
      butterfly<false>(force, T(1));
      for (int row = 0; row < 4; ++row)
        ys[c][at[row]] = fourth == fourth_row::set && row == 3 ? force[row] : ys[c][at[row]] + force[row];
    }
  }
}

}  // namespace

std::int32_t common_material(const material_number* of_cell, std::int32_t length) {
  return std::all_of(of_cell, of_cell + length, [&](material_number m) { return m == *of_cell; }) ? *of_cell : -1;
}

template <class T>
lame_blocks<T> make_lame_blocks(vector3 spacing_mm) {
  double by_lambda[8][6], by_mu[8][6];
  block_coefficients(spacing_mm, by_lambda, by_mu);
  lame_blocks<T> blocks;
  for (int p = 0; p < 8; ++p)
    for (int k = 0; k < 6; ++k) {
      if (k < 3) blocks.root[p][k] = static_cast<T>(std::sqrt(by_lambda[p][k]));
      blocks.mu[p][k] = static_cast<T>(by_mu[p][k]);
    }
  return blocks;
}
template lame_blocks<float> make_lame_blocks(vector3 spacing_mm);
template lame_blocks<double> make_lame_blocks(vector3 spacing_mm);

template <class T>
hex8_stiffness<T>::hex8_stiffness(vector3 spacing_mm, std::span<const lame> materials, dilatation dilatation_kind)
    : lambda_varies_(dilatation_kind == dilatation::at_points ? T(1) : T(0)),
      mu_varies_(dilatation_kind == dilatation::at_points ? T(0) : T(-2) / 3) {
  double by_lambda[8][6], by_mu[8][6];
  block_coefficients(spacing_mm, by_lambda, by_mu);
  const auto fill = [](vector& v, double value) {
    for (int i = 0; i < lanes<T>::count; ++i) v[i] = static_cast<T>(value);
  };
  const auto by_lame = make_lame_blocks<double>(spacing_mm);
  for (int p = 0; p < 8; ++p)
    for (int k = 0; k < 6; ++k) {
      if (k < 3) fill(by_lame_.root[p][k], by_lame.root[p][k]);
      fill(by_lame_.mu[p][k], by_lame.mu[p][k]);
    }
  of_material_.reserve(std::min(materials.size(), most_tabulated));
  for (const lame& m : materials) {
    coefficients c;
    std::array<double, 3> diagonal{};
    for (int p = 0; p < 8; ++p)
      for (int k = 0; k < 6; ++k) {
        // Omit the volumetric part of modes with zero mean: subtract lambda + 2 mu / 3.
        const double lambda = p == 0 || dilatation_kind == dilatation::at_points ? m.lambda : -2 * m.mu / 3;
        const double value = lambda * by_lambda[p][k] + m.mu * by_mu[p][k];
        fill(c.value[p][k], value);
        if (k < 3) diagonal[static_cast<std::size_t>(k)] += value;  // a corner has weight +1 or -1 in every mode
      }
    if (of_material_.size() < most_tabulated) of_material_.push_back(c);
    diagonal_.push_back(diagonal);
    lambda_.push_back(static_cast<T>(m.lambda));
    mu_.push_back(static_cast<T>(m.mu));
  }
}

template <class T>
template <bool set_fourth_row, class X>
void hex8_stiffness<T>::add_bricks_of(const hex8_run& run, const std::int32_t* node_end, const material_number* material,
                                      const X* x, T* y, std::int64_t stride) const {
  constexpr fourth_row fourth = set_fourth_row ? fourth_row::set : fourth_row::add;
  if (run.material >= 0 && static_cast<std::size_t>(run.material) < of_material_.size()) {
    const of_one_material<T> k{of_material_[static_cast<std::size_t>(run.material)]};
    add_run<fourth>(run, node_end, [&](int, int) { return k; }, x, y, stride);
  } else {
    const auto lanes_at = [&, of_cell = material + run.cell](int done, int count) {
      of_any_material<T> k{by_lame_, {}, {}, {}};
      for (int i = 0; i < count; ++i) {
        k.lambda[i] = lambda_[of_cell[done + i]];
        k.mu[i] = mu_[of_cell[done + i]];
      }
      k.varying = lambda_varies_ * k.lambda + mu_varies_ * k.mu;
      return k;
    };
    add_run<fourth>(run, node_end, lanes_at, x, y, stride);
  }
}

template <class T>
template <class X>
void hex8_stiffness<T>::add_product(const hex8_plane& plane, const material_number* material, const X* x, T* y,
                                    std::int64_t stride) const {
  for (const hex8_run& run : plane.runs) add_bricks_of<false>(run, plane.node_end, material, x, y, stride);
}

template <class T>
template <class X>
void hex8_stiffness<T>::multiply(const hex8_bricks& bricks, const X* x, T* y, std::int64_t stride,
                                 const std::function<void(std::int64_t plane)>& complete) const {
  const auto planes = static_cast<std::int64_t>(bricks.run_plane_begin.size()) - 1;
  const auto begin_of = [&](std::int64_t z) -> std::int64_t {
    return z > planes ? stride : bricks.node_plane_begin[static_cast<std::size_t>(z)];
  };
  const auto clear = [&](std::int64_t begin, std::int64_t end) {
    for (int c = 0; c < 3; ++c) std::fill(y + c * stride + begin, y + c * stride + end, T(0));
  };
  const auto runs_of = [&](std::int64_t z) {
    const auto at = static_cast<std::size_t>(z);
    return bricks.runs.subspan(bricks.run_plane_begin[at], bricks.run_plane_begin[at + 1] - bricks.run_plane_begin[at]);
  };
  // The first bricks at nodes of the upper plane set the forces at these nodes without reading old values. Only nodes
  // between runs are cleared.
  const auto set_and_add = [&](std::int64_t z) {
    const std::int32_t node_end[2] = {static_cast<std::int32_t>(begin_of(z + 1)),
                                      static_cast<std::int32_t>(begin_of(z + 2))};
    // Clear the few nodes between two runs, and some following nodes that have no value yet. A call of memset would take
    // more time.
    const auto clear_gap = [&](std::int64_t begin, std::int64_t end) {
      if (end + lanes<T>::count > node_end[1]) return clear(begin, end);
      for (; begin < end; begin += lanes<T>::count)
        for (int c = 0; c < 3; ++c) store(y + c * stride + begin, vector{});
    };
    std::int64_t known = node_end[0];  // nodes before this number have a value
    for (const hex8_run& run : runs_of(z)) {
      const std::int64_t first = run.node[3], end = first + run.length + 1;
      if (first >= known) {
        clear_gap(known, first);
        add_bricks_of<true>(run, node_end, bricks.material, x, y, stride);
      } else {
        clear_gap(known, end);
        add_bricks_of<false>(run, node_end, bricks.material, x, y, stride);
      }
      known = std::max(known, end);
    }
    clear(known, begin_of(z + 2));
  };
  const auto add = [&](std::int64_t z) {
    const std::int32_t node_end[2] = {static_cast<std::int32_t>(begin_of(z + 1)),
                                      static_cast<std::int32_t>(begin_of(z + 2))};
    add_product({runs_of(z), {node_end[0], node_end[1]}}, bricks.material, x, y, stride);
  };
  if (planes == 0) clear(0, stride);
  sweep_planes(
      planes, [&](std::int64_t k) { clear(begin_of(k), begin_of(k + 1)); }, set_and_add, add,
      [&](std::int64_t k) {
        if (complete) complete(k);
      });
}

template class hex8_stiffness<float>;
template class hex8_stiffness<double>;
template void hex8_stiffness<float>::multiply(const hex8_bricks&, const float*, float*, std::int64_t,
                                              const std::function<void(std::int64_t)>&) const;
template void hex8_stiffness<double>::multiply(const hex8_bricks&, const float*, double*, std::int64_t,
                                               const std::function<void(std::int64_t)>&) const;
template void hex8_stiffness<double>::multiply(const hex8_bricks&, const double*, double*, std::int64_t,
                                               const std::function<void(std::int64_t)>&) const;
template void hex8_stiffness<float>::add_product(const hex8_plane&, const material_number*, const float*, float*,
                                                 std::int64_t) const;
template void hex8_stiffness<double>::add_product(const hex8_plane&, const material_number*, const double*, double*,
                                                  std::int64_t) const;

}  // namespace osteon::kernel
