#pragma once
/// @file
/// Galerkin products of element matrices (matrices of coarse bricks) in double precision.
#include <array>
#include <cstddef>
#include <osteon/kernel/elasticity/element_stiffness.hpp>

namespace osteon::kernel {

/// Replace the matrix K of a brick by P^T K P, where P is the trilinear interpolation from the corners of its parent. The
/// brick is octant 4 (upper in z) + 2 (upper in y) + (upper in x) of its parent.
/// @param middle division point of the parent along z, y, x, as a fraction of the parent's edge
void restrict_to_parent(std::array<double, 576>& matrix, int octant, const std::array<double, 3>& middle);

/// Upper triangle of a symmetric 24 x 24 matrix, row by row.
struct symmetric24 {
  std::array<double, 300> value{};
  static constexpr std::size_t place(std::size_t row, std::size_t column) {
    return row <= column ? row * (47 - row) / 2 + column : place(column, row);
  }
  double operator()(std::size_t row, std::size_t column) const { return value[place(row, column)]; }
  /// Add the upper triangle of a full matrix.
  void add(const std::array<double, 576>& full);
  std::array<double, 576> full() const;
};

}  // namespace osteon::kernel
