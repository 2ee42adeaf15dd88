#pragma once
/// @file
/// Bricks of eight octants of any materials, without a matrix for each: where every voxel has a modulus of its own, no two
/// bricks of the first coarse level are equal, and a table of their matrices would be most of a solver's memory.
///
/// The octants are mirror images of one another, and each of the brick's deformations keeps or changes its sign under a
/// reflection. So an entry of the brick's matrix in deformations is the one octant's entry times a sum of the octants'
/// moduli with signs: of 189 fixed numbers and two times eight sums the matrix is made anew for each product.
#include <array>
#include <cstdint>
#include <osteon/kernel/elasticity/brick_matrices.hpp>
#include <osteon/kernel/elasticity/deformation_table.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

class graded_bricks {
 public:
  /// @param spacing_mm of an octant @param materials by number
  /// @param stiffening part of the stiffest deformation's energy that is added to all, as by `stiffen`
  graded_bricks(vector3 spacing_mm, std::span<const lame> materials, double stiffening);

  /// The matrix of a brick, in double.
  symmetric24 matrix(const octant_materials& octants) const;

  static constexpr std::size_t entries = 189;  ///< in the order of a deformation_table
  /// What a product takes.
  struct coefficients {
    std::array<float, entries> by_lambda, by_mu;  ///< of the first octant, for moduli of 1
    std::array<std::uint8_t, entries> sum;        ///< which sum of the moduli an entry takes
    float stiffening;
    std::vector<lame> materials;
  };
  const coefficients& of_product() const { return product_; }

 private:
  coefficients product_;
  std::array<symmetric24, 8> by_lambda_, by_mu_;  // by octant
  symmetric24 gram_;                              // of the deformations
  std::array<double, 18> lambda_diagonal_, mu_diagonal_;
  double stiffening_;
};

}  // namespace osteon::kernel
