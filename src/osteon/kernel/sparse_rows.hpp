#pragma once
/// @file
/// Graph Laplacian in compressed rows, the operator of the coarse levels of conduction.
#include <cstdint>
#include <osteon/base/for_each.hpp>
#include <vector>

namespace osteon::kernel {

/// (K x)_i = diagonal_i x_i - sum_j conductance_ij x_j. Rows are the owned points; columns are the owned points and ghosts.
struct sparse_rows {
  std::vector<std::int32_t> begin{0};  ///< index of the first entry of each row, and the number of entries
  std::vector<std::int32_t> column;
  std::vector<float> conductance;  ///< > 0
  std::vector<float> diagonal;

  std::int32_t rows() const { return static_cast<std::int32_t>(diagonal.size()); }
};

/// Call `done(i, (K x)_i, K_ii)` for every row, in any order.
template <class Done>
void for_each_flux(const sparse_rows& k, const float* x, Done done) {
  constexpr std::int64_t chunk = 1024;
  const auto through = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto row = static_cast<std::size_t>(i);
      float sum = k.diagonal[row] * x[i];
      for (std::int32_t e = k.begin[row]; e < k.begin[row + 1]; ++e)
        sum -= k.conductance[static_cast<std::size_t>(e)] * x[k.column[static_cast<std::size_t>(e)]];
      done(static_cast<std::int32_t>(i), sum, k.diagonal[row]);
    }
  };
  // A small level uses one thread, because the start of a thread team costs more than a chunk and is required in every
  // sweep.
  if (k.rows() <= chunk) return through(0, k.rows());
  for_each_block(k.rows(), chunk, through);
}

}  // namespace osteon::kernel
