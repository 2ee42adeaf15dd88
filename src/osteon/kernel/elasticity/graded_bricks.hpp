#pragma once
/// @file
/// Bricks of eight octants with arbitrary materials, without stored matrices. If every voxel has its own modulus, all bricks
/// of the first coarse level differ. A table of their matrices would need most of the memory of the solver.
///
/// The octants are mirror images of one another, and each deformation of the brick is even or odd under a reflection. In
/// terms of deformations, a matrix entry of the brick is therefore the entry of one octant times a signed sum of the
/// octants' moduli. Each product recomputes the matrix from 189 constants and from eight sums for each of the two Lame
/// constants.
#include <array>
#include <cstdint>
#include <osteon/kernel/elasticity/brick_matrices.hpp>
#include <osteon/kernel/elasticity/deformation_table.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

class graded_bricks {
 public:
  /// @param spacing_mm edges of an octant @param materials by number
  /// @param stiffening fraction of the energy of the stiffest deformation, added to the energy of all deformations as in
  /// `stiffen`
  graded_bricks(vector3 spacing_mm, std::span<const lame> materials, double stiffening);

  /// Matrix of a brick, in double precision.
  symmetric24 matrix(const octant_materials& octants) const;

  static constexpr std::size_t entries = 189;  ///< number of entries, in the order of a deformation_table
  /// Constants of a product with a brick.
  struct coefficients {
    std::array<float, entries> by_lambda, by_mu;  ///< entries of the first octant, for moduli of 1
    std::array<std::uint8_t, entries> sum;        ///< index of the sum of moduli of an entry
    float stiffening;
    std::vector<lame> materials;
  };
  const coefficients& of_product() const { return product_; }

 private:
  coefficients product_;
  std::array<symmetric24, 8> by_lambda_, by_mu_;  // by octant
  symmetric24 gram_;                              // Gram matrix of the deformations
  std::array<double, 18> lambda_diagonal_, mu_diagonal_;
  double stiffening_;
};

}  // namespace osteon::kernel
