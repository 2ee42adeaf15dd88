#pragma once
/// @file
/// Steps of conjugate gradients in the inner product of the preconditioner (flow_solver.hpp, [BramblePasciak1988]), over the
/// four arrays of the owned unknowns, of which the last one, the mass, has the other sign. Products are of one rank.
#include <osteon/numerics/krylov/block_sums.hpp>

namespace osteon::numerics {

/// The product of s = P r with itself. @param v K s
inline double square_of_residual(std::int64_t owned, std::int64_t stride, const std::vector<float>& r,
                                 const std::vector<float>& s, const std::vector<float>& v) {
  return sum_blocks<1>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const std::int64_t first = c * stride + begin;
    const float *const a = r.data() + first, *const b = s.data() + first, *const k = v.data() + first;
    const double momentum = c < 3 ? 1 : 0;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = 0; i < n; ++i)
      square += (momentum * static_cast<double>(k[i]) - static_cast<double>(a[i])) * static_cast<double>(b[i]);
    sum[0] = square;
  })[0];
}

/// The next direction: p = s + beta p, and with it w = K p, from v = K s.
inline void turn_direction(std::int64_t owned, std::int64_t stride, float beta, const std::vector<float>& s,
                           const std::vector<float>& v, std::vector<float>& p, std::vector<float>& w) {
  sum_blocks<1>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto&) {
    const std::int64_t first = c * stride + begin;
    const float *const from = s.data() + first, *const product = v.data() + first;
    float *const to = p.data() + first, *const product_to = w.data() + first;
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
      to[i] = from[i] + beta * to[i];
      product_to[i] = product[i] + beta * product_to[i];
    }
  });
}

/// The product of p with P K p. @param w K p @param q P w
inline double square_of_direction(std::int64_t owned, std::int64_t stride, const std::vector<float>& p,
                                  const std::vector<float>& w, const std::vector<float>& q) {
  return sum_blocks<1>(owned, [&](std::int64_t c, std::int64_t begin, std::int64_t n, auto& sum) {
    const std::int64_t first = c * stride + begin;
    const float *const a = p.data() + first, *const k = w.data() + first, *const b = q.data() + first;
    const double momentum = c < 3 ? 1 : 0;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = 0; i < n; ++i)
      square += (momentum * static_cast<double>(b[i]) - static_cast<double>(a[i])) * static_cast<double>(k[i]);
    sum[0] = square;
  })[0];
}

}  // namespace osteon::numerics
