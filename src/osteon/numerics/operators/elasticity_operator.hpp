#pragma once
/// @file
/// The stiffness operator of a level of the elasticity solver, as required by the smoother.
#include <array>
#include <functional>
#include <osteon/base/for_each.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/numerics/kernel_work.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

/// 1 / diagonal of K; zero at places without stiffness.
struct inverse_diagonal {
  /// One value for each entry of a vector, or one value for each node. With one value per node, the inverse diagonal of
  /// component c is this value times weight[c].
  std::span<const float> value;
  std::array<float, 3> weight{1, 1, 1};
  bool is_by_node = false;
};

/// A change of vectors at nodes.
struct node_update {
  std::function<void(std::int64_t begin, std::int64_t end)> apply;  ///< change the vectors at the nodes [begin, end)
  std::vector<float*> vectors;                                      ///< vectors that `apply` changes
};

/// K of one level in single precision. Vectors are flat arrays of `size` values in the order given by `layout`; padding
/// values are zero and remain zero. On virtual ranks without values (comm/virtual_ranks.hpp) the size is zero.
class elasticity_operator {
 public:
  virtual ~elasticity_operator() = default;
  /// y = K x with zeros at fixed displacements. On entry, x must be zero at fixed displacements and equal on all copies of a
  /// node. On return, y has both properties.
  /// @collective
  void multiply(const float* x, float* y) const { multiply(x, y, {}); }
  /// y = K x as above, and one update of each node, with y. The update may change x. Most nodes are updated while their
  /// values are in cache. Nodes with copies are updated again from their previous values when y is complete.
  /// @collective
  void multiply(const float* x, float* y, const node_update& update) const;
  /// Work of one product on this rank.
  virtual kernel_work work() const = 0;
  virtual std::int64_t size() const = 0;
  virtual grid::node_layout layout() const = 0;
  virtual const grid::shared_nodes& shared() const = 0;
  /// The inverse diagonal. Its values at fixed displacements are arbitrary, because residuals are zero at fixed
  /// displacements.
  virtual numerics::inverse_diagonal inverse_diagonal() const = 0;
  /// Indices of fixed displacements in a flat vector, ascending.
  virtual std::span<const std::int64_t> fixed() const = 0;

 protected:
  /// y = K x of this rank's bricks. Calls `complete` for ranges of nodes; no range is read or written after its call.
  /// @collective local
  virtual void multiply_own(const float* x, float* y,
                            const std::function<void(std::int64_t begin, std::int64_t end)>& complete) const = 0;

 private:
  void clear_fixed(float* y, std::int64_t begin, std::int64_t end) const;
};

/// Call body(i, inverse of the diagonal) for the indices i of the nodes [begin, end) in flat vectors.
template <class F>
void for_nodes(const elasticity_operator& k, std::int64_t begin, std::int64_t end, F body) {
  const inverse_diagonal d = k.inverse_diagonal();
  const float* value = d.value.data();
  if (!d.is_by_node) {
    const std::int64_t floats = k.layout().node_stride;
#pragma omp simd
    for (std::int64_t i = floats * begin; i < floats * end; ++i) body(i, value[i]);
    return;
  }
  const std::int64_t stride = k.layout().component_stride;
  for (int c = 0; c < 3; ++c) {
    const std::int64_t first = c * stride;
    const float weight = d.weight[static_cast<std::size_t>(c)];
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) body(first + i, weight * value[i]);
  }
}

/// Call body(i, inverse of the diagonal) for all indices i of a flat vector, in any order.
template <class F>
void for_each_with_diagonal(const elasticity_operator& k, F body) {
  const inverse_diagonal d = k.inverse_diagonal();
  const float* value = d.value.data();
  if (!d.is_by_node) return for_each(k.size(), [=](std::int64_t i) { body(i, value[i]); });
  const std::int64_t stride = k.layout().component_stride;
  for (int c = 0; c < 3; ++c)
    for_each(stride, [=, first = c * stride, w = d.weight[static_cast<std::size_t>(c)]](std::int64_t i) {
      body(first + i, w * value[i]);
    });
}

/// Sum of a[i] b[i] over the indices [begin, end). Eight partial sums allow vectorisation.
template <class A, class B>
double partial_dot(const A* a, const B* b, std::int64_t begin, std::int64_t end) {
  double part[8]{};
  std::int64_t i = begin;
  for (; i + 8 <= end; i += 8)
    for (int k = 0; k < 8; ++k) part[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
  for (; i < end; ++i) part[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/// Sum of a[i] b[i] over the values of nodes owned by this rank, in an order independent of the number of threads.
template <class A, class B>
double owned_dot(const A* a, const B* b, std::int64_t size, grid::node_layout layout, const grid::shared_nodes& shared);

/// Subtract a[i] b[i] of the values of nodes that this rank does not own.
/// @param sum sum of a[i] b[i] over all values
template <class A, class B>
double without_copies(double sum, const A* a, const B* b, std::int64_t size, grid::node_layout layout,
                      const grid::shared_nodes& shared);

extern template double without_copies(double, const float*, const float*, std::int64_t, grid::node_layout,
                                      const grid::shared_nodes&);
extern template double owned_dot(const float*, const float*, std::int64_t, grid::node_layout, const grid::shared_nodes&);
extern template double owned_dot(const double*, const float*, std::int64_t, grid::node_layout, const grid::shared_nodes&);
extern template double owned_dot(const double*, const double*, std::int64_t, grid::node_layout, const grid::shared_nodes&);

/// A pseudo-random number in [-1, 1] that depends on its argument only. Start vectors from such numbers are independent of
/// the decomposition.
double scrambled(std::uint64_t number);

struct eigenvalue_range {
  double smallest, largest;
};

/// Three vectors of k.size() values.
struct lanczos_vectors {
  std::span<float> residual, direction, product;
};

/// Estimate the extreme eigenvalues of B K by Lanczos steps from a pseudo-random start vector. The estimates are inside the
/// spectrum.
/// @param ids global node numbers
/// @param precondition applies B, which must be symmetric; the function may return the vector `product`
/// @collective on comm
eigenvalue_range estimate_eigenvalues(MPI_Comm comm, const elasticity_operator& k, std::span<const std::int64_t> ids,
                                      int steps, const lanczos_vectors& vectors,
                                      const std::function<const float*(const float* residual)>& precondition);

}  // namespace osteon::numerics
