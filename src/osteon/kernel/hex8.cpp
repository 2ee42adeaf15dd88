#include <osteon/kernel/hex8.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace osteon::kernel {

namespace {

constexpr int bit_of[3] = {4, 2, 1};  // the bit of axis z, y, x in a corner or mode number
constexpr int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

constexpr int bits(int p) { return (p & 1) + (p >> 1 & 1) + (p >> 2 & 1); }

// Block p holds component c of mode p ^ bit_of[c]. The displacement is a sum of modes phi_m, the product of xi_d in
// [-1, 1] over the axes d of m; d phi_m / dx_d = (2 / h_d) phi_{m without d}; and phi_m has mean square 3^-|m|.
// The energy is lambda (div u)^2 + 2 mu eps:eps, term by term below. Both transforms are unnormalised: 1/64.
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

template <class V>
[[gnu::always_inline]] inline void transform(V (&u)[8]) {
  const auto butterfly = [&u](int i, int j) __attribute__((always_inline)) {
    const V sum = u[i] + u[j], difference = u[i] - u[j];
    u[i] = sum;
    u[j] = difference;
  };
  butterfly(0, 1), butterfly(2, 3), butterfly(4, 5), butterfly(6, 7);
  butterfly(0, 2), butterfly(1, 3), butterfly(4, 6), butterfly(5, 7);
  butterfly(0, 4), butterfly(1, 5), butterfly(2, 6), butterfly(3, 7);
}

template <int p, class V>
[[gnu::always_inline]] inline void multiply_block(const V (&k)[8][6], V (&u)[3][8]) {
  constexpr int z = p ^ 4, y = p ^ 2, x = p ^ 1;
  const V a = u[0][z], b = u[1][y], c = u[2][x];
  V fz = k[p][0] * a, fy = k[p][1] * b, fx = k[p][2] * c;
  if constexpr (couples(p, 0)) fz += k[p][3] * b, fy += k[p][3] * a;
  if constexpr (couples(p, 1)) fz += k[p][4] * c, fx += k[p][4] * a;
  if constexpr (couples(p, 2)) fy += k[p][5] * c, fx += k[p][5] * b;
  u[0][z] = fz, u[1][y] = fy, u[2][x] = fx;
}

template <class V>
[[gnu::always_inline]] inline void multiply(const V (&k)[8][6], V (&u)[3][8]) {
  [&]<int... p>(std::integer_sequence<int, p...>)
      __attribute__((always_inline)) { (multiply_block<p>(k, u), ...); }(std::make_integer_sequence<int, 8>{});
}

// The values one lane up: lane 0 takes the last lane of `before`.
inline __attribute__((always_inline)) lanes<float>::vector shifted(const lanes<float>::vector& before,
                                                                   const lanes<float>::vector& v) {
  return __builtin_shuffle(before, v, lanes<float>::mask{7, 8, 9, 10, 11, 12, 13, 14});
}
inline __attribute__((always_inline)) lanes<double>::vector shifted(const lanes<double>::vector& before,
                                                                    const lanes<double>::vector& v) {
  return __builtin_shuffle(before, v, lanes<double>::mask{3, 4, 5, 6});
}

// Reading from place width - n gives a mask of the first n lanes.
template <class I>
constexpr auto first_lanes = [] {
  std::array<I, 64 / sizeof(I)> places{};
  for (std::size_t i = 0; i < places.size() / 2; ++i) places[i] = -1;
  return places;
}();

}  // namespace

template <class T>
hex8_stiffness<T>::hex8_stiffness(vector3 spacing_mm, std::span<const lame> materials) {
  double by_lambda[8][6], by_mu[8][6];
  block_coefficients(spacing_mm, by_lambda, by_mu);
  const auto fill = [](vector& v, double value) {
    for (int i = 0; i < lanes<T>::count; ++i) v[i] = static_cast<T>(value);
  };
  for (int p = 0; p < 8; ++p)
    for (int k = 0; k < 6; ++k) {
      fill(by_lambda_.value[p][k], by_lambda[p][k]);
      fill(by_mu_.value[p][k], by_mu[p][k]);
    }
  for (const lame& m : materials) {
    coefficients& c = of_material_.emplace_back();
    std::array<double, 3> diagonal{};
    for (int p = 0; p < 8; ++p)
      for (int k = 0; k < 6; ++k) {
        const double value = m.lambda * by_lambda[p][k] + m.mu * by_mu[p][k];
        fill(c.value[p][k], value);
        if (k < 3) diagonal[static_cast<std::size_t>(k)] += value;  // a corner has weight +1 or -1 in every mode
      }
    diagonal_.push_back(diagonal);
    lambda_.push_back(static_cast<T>(m.lambda));
    mu_.push_back(static_cast<T>(m.mu));
  }
}

template <class T>
void hex8_stiffness<T>::add_run(const hex8_run& run, const std::int32_t* node_end, const std::uint8_t* material, const T* x,
                                T* y, std::int64_t stride) const {
  constexpr int width = lanes<T>::count;
  const std::uint8_t* of_cell = material + run.cell;
  const bool uniform = std::all_of(of_cell, of_cell + run.length, [&](std::uint8_t m) { return m == of_cell[0]; });
  vector carry[3][4]{};
  for (int begin = 0; begin < run.length; begin += width) {
    const int count = std::min(width, run.length - begin);
    vector u[3][8];
    for (int c = 0; c < 3; ++c) {
      for (int row = 0; row < 4; ++row) {
        const T* from = x + c * stride + run.node[row] + begin;
        load(u[c][2 * row], from);
        load(u[c][2 * row + 1], from + 1);
      }
      transform(u[c]);
    }
    if (uniform) {
      multiply(of_material_[of_cell[0]].value, u);
    } else {
      vector lambda{}, mu{}, mixed[8][6];
      for (int i = 0; i < count; ++i) {
        lambda[i] = lambda_[of_cell[begin + i]];
        mu[i] = mu_[of_cell[begin + i]];
      }
      for (int p = 0; p < 8; ++p)
        for (int k = 0; k < 6; ++k) mixed[p][k] = lambda * by_lambda_.value[p][k] + mu * by_mu_.value[p][k];
      multiply(mixed, u);
    }
    for (int c = 0; c < 3; ++c) transform(u[c]);
    if (count < width) {  // lanes behind the run hold other bricks' nodes: they must add nothing
      typename lanes<T>::mask valid;
      load(valid, first_lanes<typename lanes<T>::integer>.data() + width - count);
      for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 8; ++a)
          u[c][a] = reinterpret_cast<vector>(reinterpret_cast<typename lanes<T>::mask>(u[c][a]) & valid);
    }
    // Node begin + i is the lower corner of brick i and the upper one of brick i - 1: shifting in registers makes it
    // one read and one write a node instead of two that wait for each other.
    for (int row = 0; row < 4; ++row) {
      const std::int32_t node = run.node[row] + begin;
      const bool inside = node + width <= node_end[row / 2];  // whole vectors must not reach another thread's nodes
      for (int c = 0; c < 3; ++c) {
        const vector& upper = u[c][2 * row + 1];
        const vector sum = u[c][2 * row] + shifted(carry[c][row], upper);
        T* to = y + c * stride + node;
        if (inside) {
          vector old;
          load(old, to);
          store(to, old + sum);
        } else {
          for (int i = 0; i < std::min(width, count + 1); ++i) to[i] += sum[i];
        }
        carry[c][row] = upper;
      }
    }
  }
  if (run.length % width == 0)
    for (int row = 0; row < 4; ++row)
      for (int c = 0; c < 3; ++c) y[c * stride + run.node[row] + run.length] += carry[c][row][width - 1];
}

template <class T>
void hex8_stiffness<T>::add_product(const hex8_plane& plane, const std::uint8_t* material, const T* x, T* y,
                                    std::int64_t stride) const {
  for (const hex8_run& run : plane.runs) add_run(run, plane.node_end, material, x, y, stride);
}

template class hex8_stiffness<float>;
template class hex8_stiffness<double>;

}  // namespace osteon::kernel
