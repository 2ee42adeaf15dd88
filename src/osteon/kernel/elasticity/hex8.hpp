#pragma once
/// @file
/// Matrix-free product of the stiffness of eight-node bricks, stored as runs, with a vector.
///
/// A box-shaped isotropic brick is symmetric under three reflections. A Walsh-Hadamard transform over the corners of each
/// component therefore decomposes the 24 x 24 matrix of the brick into eight 3 x 3 blocks with 45 non-zeros in total.
/// Transform, multiplication and inverse transform cost a fifth of a product with the full matrix.
#include <cstdint>
#include <functional>
#include <osteon/base/box.hpp>
#include <osteon/base/material_number.hpp>
#include <osteon/kernel/elasticity/element_stiffness.hpp>
#include <osteon/kernel/lanes.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// A run of bricks along x. Its corners form four rows of contiguous node numbers.
struct hex8_run {
  std::int32_t node[4];        ///< first node of the rows (z, y), (z, y + 1), (z + 1, y), (z + 1, y + 1)
  std::int32_t cell;           ///< first cell
  std::int32_t length;         ///< number of bricks, > 0
  std::int32_t material = -1;  ///< common material of the bricks; -1: different materials
};

/// Common material of the bricks of a run, or -1. @param of_cell materials, beginning at the first cell of the run
std::int32_t common_material(const material_number* of_cell, std::int32_t length);

/// Runs of a plane of bricks.
struct hex8_plane {
  std::span<const hex8_run> runs;
  std::int32_t node_end[2];  ///< one past the last node of the lower and of the upper plane of nodes
};

/// All bricks of a rank, ordered by plane, y and x; adjacent runs share nodes.
struct hex8_bricks {
  std::span<const hex8_run> runs;
  std::span<const std::size_t> run_plane_begin;    ///< first run of each plane, and the end
  std::span<const std::int32_t> node_plane_begin;  ///< first node of each plane of nodes, and the end
  const material_number* material = nullptr;       ///< per cell
};

/// The stiffness of a brick in the basis of modes. Each block is lambda v v^T + mu M; v has the components (z, y, x), and M
/// is stored as its diagonal, then (z,y), (z,x), (y,x). Block p has component c of mode p ^ (4 >> c).
template <class T>
struct lame_blocks {
  T root[8][3];
  T mu[8][6];
};
template <class T>
lame_blocks<T> make_lame_blocks(vector3 spacing_mm);
extern template lame_blocks<float> make_lame_blocks(vector3 spacing_mm);
extern template lame_blocks<double> make_lame_blocks(vector3 spacing_mm);

/// Node data are ordered by component: component c (z, y, x) of node i is at c * stride + i. `hex8_padding` values after the
/// last node of every component must be readable.
constexpr std::int64_t hex8_padding = 8;

/// Dilatation of a brick at its Gauss points: the value at each point, or the mean over the brick. The mean avoids
/// volumetric locking.
/// @cite [Hughes1980]
enum class dilatation { at_points, mean };

/// Coefficients of the blocks for each material.
template <class T>
class hex8_stiffness {
 public:
  using vector = typename lanes<T>::vector;
  /// Six numbers for each of the eight blocks: the diagonal (z, y, x), then the couplings (z,y), (z,x), (y,x).
  struct coefficients {
    vector value[8][6];
  };
  /// @param materials by material number; unused entries may be zero
  hex8_stiffness(vector3 spacing_mm, std::span<const lame> materials, dilatation dilatation_kind = dilatation::at_points);

  /// y = K x. Sets the padding of each component to 0. The result does not depend on the number of threads.
  /// @tparam X double with T = double only, or float
  /// @param complete called once for each plane of nodes when y is complete on the plane. The product does not read x on
  /// this plane later: `complete` may change x there. Threads call `complete` for different planes at the same time.
  template <class X>
  void multiply(const hex8_bricks& bricks, const X* x, T* y, std::int64_t stride,
                const std::function<void(std::int64_t plane)>& complete = {}) const;

  /// Add K x to y for the bricks of one plane. The function writes only the two planes of nodes at the bricks; threads may
  /// therefore process planes of equal parity concurrently. @param material per cell
  template <class X>
  void add_product(const hex8_plane& plane, const material_number* material, const X* x, T* y, std::int64_t stride) const;

  /// Diagonal entry of component c of any corner of a brick [N/mm].
  double diagonal(material_number material, int component) const { return diagonal_[material].data()[component]; }

 private:
  /// @tparam set_fourth_row if true, forces are assigned to the row of nodes that previous bricks do not share; otherwise
  /// forces are added
  template <bool set_fourth_row, class X>
  void add_bricks_of(const hex8_run& run, const std::int32_t* node_end, const material_number* material, const X* x, T* y,
                     std::int64_t stride) const;

  std::vector<coefficients>
      of_material_;  // coefficients of the first materials; a table of thousands of materials would exceed all caches
  lame_blocks<vector> by_lame_;  // for vectors of bricks with different materials, and for all other materials
  T lambda_varies_, mu_varies_;  // coefficients of lambda and mu for the dilatation minus its mean
  std::vector<T> lambda_, mu_;
  std::vector<std::array<double, 3>> diagonal_;
};

extern template class hex8_stiffness<float>;
extern template class hex8_stiffness<double>;

}  // namespace osteon::kernel
