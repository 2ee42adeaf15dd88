#pragma once
/// @file
/// Steps of conjugate gradients in the inner product of the preconditioner (flow_solver.hpp, [BramblePasciak1988]). The
/// owned unknowns form four arrays; the last array (mass) has the opposite sign. Products are local to one rank.
#include <osteon/numerics/krylov/block_sums.hpp>

namespace osteon::numerics {

/// Compute one of two products in the inner product of the preconditioner P. For the residual r and s = P r, the product is
/// (s, s): (K P r - r, P r) of the momentum, minus (r, P r) of the mass. For a direction p, the product is (P K p, p). Both
/// products are the sum of (m c - a) b over the unknowns, where m is 1 for the momentum and 0 for the mass.
/// @param a, b, c shape (4, stride): r, s and K s; or p, K p and P K p @param owned unknowns of a component
/// @return value of this rank; @collective local
inline double square_of_preconditioned(std::int64_t owned, std::int64_t stride, const std::vector<float>& a,
                                       const std::vector<float>& b, const std::vector<float>& c) {
  return block_sums<1>({owned, 4}, [&](std::int64_t component, std::int64_t begin, std::int64_t n, auto& sum) {
    const std::int64_t first = component * stride + begin;
    const float *const va = a.data() + first, *const vb = b.data() + first, *const vc = c.data() + first;
    const double momentum = component < 3 ? 1 : 0;
    double square = 0;
#pragma omp simd reduction(+ : square)
    for (std::int64_t i = 0; i < n; ++i)
      square += (momentum * static_cast<double>(vc[i]) - static_cast<double>(va[i])) * static_cast<double>(vb[i]);
    sum[0] = square;
  })[0];
}

/// Compute the next direction p = s + beta p, and w = K p from v = K s.
inline void turn_direction(std::int64_t owned, std::int64_t stride, float beta, const std::vector<float>& s,
                           const std::vector<float>& v, std::vector<float>& p, std::vector<float>& w) {
  for_each_block_of({owned, 4}, [&](std::int64_t, std::int64_t c, std::int64_t begin, std::int64_t n) {
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

}  // namespace osteon::numerics
