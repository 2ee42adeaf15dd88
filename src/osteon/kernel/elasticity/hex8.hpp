#pragma once
/// @file
/// The stiffness of runs of eight-node bricks times a vector, without a matrix.
///
/// In the basis of products of +1/-1 over the corners (a Walsh-Hadamard transform of each component) the 24 x 24
/// matrix of a box-shaped isotropic brick falls into eight 3 x 3 blocks with 45 non-zeros in all, because the brick
/// is symmetric under the three reflections. Transform, multiply, transform back is five times cheaper than the matrix.
#include <cstdint>
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
  std::int32_t length;         ///< bricks, > 0
  std::int32_t material = -1;  ///< material of all its bricks; -1: different ones
};

/// The material that all bricks of a run have, or -1. @param of_cell at the run's first cell
std::int32_t common_material(const material_number* of_cell, std::int32_t length);

/// The runs of a plane of bricks.
struct hex8_plane {
  std::span<const hex8_run> runs;
  std::int32_t node_end[2];  ///< one past the last node of the lower and of the upper plane of nodes
};

/// All bricks of a rank, plane after plane, in each by y and then by x; runs that touch share their nodes.
struct hex8_bricks {
  std::span<const hex8_run> runs;
  std::span<const std::size_t> run_plane_begin;    ///< first run of each plane, and the end
  std::span<const std::int32_t> node_plane_begin;  ///< first node of each plane of nodes, and the end
  const material_number* material = nullptr;       ///< per cell
};

/// The stiffness of a brick in the basis of modes, block by block: lambda v v^T + mu M, v of the components (z, y, x); of M
/// the diagonal, then (z,y), (z,x), (y,x). Block p has component c of mode p ^ (4 >> c).
template <class T>
struct lame_blocks {
  T root[8][3];
  T mu[8][6];
};
template <class T>
lame_blocks<T> make_lame_blocks(vector3 spacing_mm);
extern template lame_blocks<float> make_lame_blocks(vector3 spacing_mm);
extern template lame_blocks<double> make_lame_blocks(vector3 spacing_mm);

/// Node data by components: component c (z, y, x) of node i at c * stride + i. Needs `hex8_padding` readable values
/// behind the last node of every component.
constexpr std::int64_t hex8_padding = 8;

/// Dilatation of a brick: at each Gauss point, or the mean of the brick at all of them, which avoids volumetric locking.
/// @cite [Hughes1980]
enum class dilatation { at_points, mean };

/// The coefficients of the blocks, for each material.
template <class T>
class hex8_stiffness {
 public:
  using vector = typename lanes<T>::vector;
  /// Six numbers for each of the eight blocks: the diagonal (z, y, x), then the couplings (z,y), (z,x), (y,x).
  struct coefficients {
    vector value[8][6];
  };
  /// @param materials by the value of a cell; unused entries may hold zeros
  hex8_stiffness(vector3 spacing_mm, std::span<const lame> materials, dilatation how = dilatation::at_points);

  /// y = K x; the padding of each component is set to 0. The result does not depend on the number of threads.
  void multiply(const hex8_bricks& bricks, const T* x, T* y, std::int64_t stride) const;

  /// Add K x to y for the bricks of one plane.
  /// @param material per cell
  /// Writes only nodes of the plane's two node planes, so planes of equal parity may be treated at the same time.
  void add_product(const hex8_plane& plane, const material_number* material, const T* x, T* y, std::int64_t stride) const;

  /// Diagonal entry of component c of any corner of a brick [N/mm].
  double diagonal(material_number material, int component) const { return diagonal_[material].data()[component]; }

 private:
  /// @tparam set_fourth_row the row of nodes that no bricks before these have is set, not added to
  template <bool set_fourth_row>
  void add_bricks_of(const hex8_run& run, const std::int32_t* node_end, const material_number* material, const T* x, T* y,
                     std::int64_t stride) const;

  std::vector<coefficients> of_material_;  // of the first ones: thousands would be larger than all caches
  lame_blocks<vector> by_lame_;            // for bricks of different materials side by side, and of all others
  T lambda_varies_, mu_varies_;            // how the two make the lambda of a dilatation that differs from its mean
  std::vector<T> lambda_, mu_;
  std::vector<std::array<double, 3>> diagonal_;
};

extern template class hex8_stiffness<float>;
extern template class hex8_stiffness<double>;

}  // namespace osteon::kernel
