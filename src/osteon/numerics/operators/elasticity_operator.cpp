#include <osteon/numerics/operators/elasticity_operator.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/dense.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/base/splitmix.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::numerics {

// Set y to zero at the fixed displacements of the nodes [begin, end).
void elasticity_operator::clear_fixed(float* y, std::int64_t begin, std::int64_t end) const {
  const auto all = fixed();
  if (all.empty()) return;
  const auto l = layout();
  for (int c = 0; c < l.components; ++c) {
    const std::int64_t first = c * l.component_stride;
    const auto from = std::lower_bound(all.begin(), all.end(), first + begin * l.node_stride);
    for (auto i = from; i != all.end() && *i < first + end * l.node_stride; ++i) y[*i] = 0;
  }
}

void elasticity_operator::multiply(const float* x, float* y, const node_update& update) const {
  const auto l = layout();
  const auto copies = size() > 0 && update.apply ? shared().with_copies() : std::span<const std::int32_t>{};
  const auto for_each_copy = [&](auto body) {
    for (const std::int32_t node : copies)
      for (float* vector : update.vectors)
        for (int c = 0; c < l.components; ++c) body(vector[c * l.component_stride + node * l.node_stride]);
  };
  std::vector<float> before;
  before.reserve(copies.size() * update.vectors.size() * static_cast<std::size_t>(l.components));
  for_each_copy([&](float value) { before.push_back(value); });
  multiply_own(x, y, [&](std::int64_t begin, std::int64_t end) {
    clear_fixed(y, begin, end);
    if (update.apply) update.apply(begin, end);
  });
  shared().exchange_add(y, l);
  for_each_copy([from = before.begin()](float& value) mutable { value = *from++; });
  for (auto i = copies.begin(); i != copies.end();) {
    const std::int64_t begin = *i;
    std::int64_t end = begin;
    for (; i != copies.end() && *i == end; ++i) ++end;
    clear_fixed(y, begin, end);
    update.apply(begin, end);
  }
}

template <class A, class B>
double without_copies(double sum, const A* a, const B* b, std::int64_t size, grid::node_layout layout,
                      const grid::shared_nodes& shared) {
  if (size == 0) return 0;  // virtual ranks without values
  for (const std::int32_t node : shared.not_owned())
    for (int c = 0; c < layout.components; ++c) {
      const std::int64_t i = c * layout.component_stride + node * layout.node_stride;
      sum -= static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
  return sum;
}

template <class A, class B>
double owned_dot(const A* a, const B* b, std::int64_t size, grid::node_layout layout, const grid::shared_nodes& shared) {
  const double sum =
      reduce_blocks(size, [=](std::int64_t begin, std::int64_t end) { return partial_dot(a, b, begin, end); });
  return without_copies(sum, a, b, size, layout, shared);
}

template double without_copies(double, const float*, const float*, std::int64_t, grid::node_layout,
                               const grid::shared_nodes&);
template double owned_dot(const float*, const float*, std::int64_t, grid::node_layout, const grid::shared_nodes&);
template double owned_dot(const double*, const float*, std::int64_t, grid::node_layout, const grid::shared_nodes&);
template double owned_dot(const double*, const double*, std::int64_t, grid::node_layout, const grid::shared_nodes&);

double scrambled(std::uint64_t number) { return static_cast<double>(splitmix64(number) >> 11) * 0x1p-52 - 1; }

eigenvalue_range estimate_eigenvalues(MPI_Comm comm, const elasticity_operator& k, std::span<const std::int64_t> ids,
                                      int steps, const lanczos_vectors& v,
                                      const std::function<const float*(const float* residual)>& precondition) {
  const auto layout = k.layout();
  const auto dot = [&](const float* a, const float* b) {
    return comm::counted_sum(comm, owned_dot(a, b, k.size(), layout, k.shared()));
  };
  std::fill(v.residual.begin(), v.residual.end(), 0.0F);
  for (std::size_t i = 0; i < ids.size() && !v.residual.empty(); ++i)
    for (int c = 0; c < 3; ++c) {
      const auto at =
          static_cast<std::size_t>(c * layout.component_stride + static_cast<std::int64_t>(i) * layout.node_stride);
      v.residual[at] = static_cast<float>(scrambled(3 * static_cast<std::uint64_t>(ids[i]) + static_cast<std::uint64_t>(c)));
    }
  for_each_with_diagonal(
      k, [r = v.residual.data()](std::int64_t i, float inverse) { r[i] = inverse > 0 ? r[i] / std::sqrt(inverse) : 0.0F; });
  for (const std::int64_t i : k.fixed()) v.residual[static_cast<std::size_t>(i)] = 0;
  // The coefficients of preconditioned conjugate gradients form the Lanczos matrix.
  std::vector<double> diagonal, coupling;
  double previous_alpha = 0, old = 0;
  float *residual = v.residual.data(), *direction = v.direction.data(), *product = v.product.data();
  for (int step = 0; step < steps; ++step) {
    const float* z = precondition(residual);
    const double now = dot(residual, z);
    if (!(now > 0)) break;
    const double beta = step == 0 ? 0 : now / old;
    for_each(k.size(), [=, b = static_cast<float>(beta)](std::int64_t i) {
      direction[i] = z[i] + (step == 0 ? 0.0F : b * direction[i]);
    });
    k.multiply(direction, product);
    const double curvature = dot(direction, product);
    if (!(curvature > 0)) break;
    const double alpha = now / curvature;
    diagonal.push_back(1 / alpha + (step == 0 ? 0 : beta / previous_alpha));
    if (step > 0) coupling.push_back(std::sqrt(beta) / previous_alpha);
    for_each(k.size(), [=, a = static_cast<float>(alpha)](std::int64_t i) { residual[i] -= a * product[i]; });
    previous_alpha = alpha;
    old = now;
  }
  if (diagonal.empty()) return {1, 1};  // no free displacements on this level
  const std::vector<double> values = eigenvalues_of_tridiagonal(diagonal, coupling);
  return {values.front(), values.back()};
}

}  // namespace osteon::numerics
