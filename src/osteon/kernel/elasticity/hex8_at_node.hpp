#pragma once
/// @file
/// Product of the stiffness of bricks with a vector by nodes: a functor for `for_each` on host and device.
///
/// The functor sums the contributions of up to eight bricks at a node. Each value has one writer; the result therefore does
/// not depend on the order of nodes. The functor uses full element matrices and is the reference for hex8.hpp.
#include <osteon/base/for_each.hpp>
#include <osteon/kernel/elasticity/hex8.hpp>
#include <vector>

namespace osteon::kernel {

/// y = K x at node i. Borrows memory of the host or device that executes the functor.
template <class T>
struct hex8_at_node {
  const hex8_run* runs;
  const std::int32_t* runs_of_node;  ///< by `runs_of_nodes`
  const material_number* material;   ///< per cell
  const T* matrices;                 ///< 24 x 24 for each material, see matrix24
  const T* x;
  T* y;
  std::int64_t stride;  ///< component c (z, y, x) of node i at c * stride + i

  OSTEON_HD void operator()(std::int64_t node) const {
    T force[3] = {};
    for (int row = 0; row < 4; ++row) {
      const std::int32_t number = runs_of_node[4 * node + row];
      if (number < 0) continue;
      const hex8_run& run = runs[number];
      const int mine = 3 - row;  // row of the node among the corners of these bricks
      const auto at = static_cast<std::int32_t>(node) - run.node[mine];
      for (int upper = 1; upper >= 0;
           --upper) {  // the node is the upper corner of a brick, then the lower corner of the next brick
        const std::int32_t brick = at - upper;
        if (brick < 0 || brick >= run.length) continue;
        const T* k = matrices + 576 * material[run.cell + brick] + 72 * (2 * mine + upper);
        for (int corner = 0; corner < 8; ++corner) {
          const std::int64_t other = run.node[corner >> 1] + (corner & 1) + brick;
          for (int d = 0; d < 3; ++d) {
            const T value = x[d * stride + other];
            for (int c = 0; c < 3; ++c) force[c] += k[24 * c + 3 * corner + d] * value;
          }
        }
      }
    }
    for (int c = 0; c < 3; ++c) y[c * stride + node] = force[c];
  }
};

/// Runs of the bricks around each node, 4 per node: the runs in the brick rows (z - 1, y - 1), (z - 1, y), (z, y - 1), (z,
/// y), or -1.
inline std::vector<std::int32_t> runs_of_nodes(std::span<const hex8_run> runs, std::int64_t nodes) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(4 * nodes), -1);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (int row = 0; row < 4; ++row)
      for (std::int32_t e = 0; e <= runs[r].length; ++e)
        table[static_cast<std::size_t>(4 * (runs[r].node[row] + e) + 3 - row)] = static_cast<std::int32_t>(r);
  return table;
}

/// Concatenated element matrices of all materials.
template <class T>
std::vector<T> element_matrices(vector3 spacing_mm, std::span<const lame> materials) {
  std::vector<T> all;
  for (const lame& m : materials)
    for (const double value : element_stiffness(spacing_mm, m)) all.push_back(static_cast<T>(value));
  return all;
}

}  // namespace osteon::kernel
