#pragma once
/// @file
/// The stiffness of a block of material that an image shows: six load cases, one for each mean strain.
#include <array>
#include <osteon/solve/elastic_constants.hpp>
#include <osteon/solve/elasticity.hpp>
#include <span>

namespace osteon::solve {

/// Means over the whole box of the image, empty space included; the order is xx, yy, zz, xy, yz, xz.
struct homogenised {
  voigt_matrix stiffness_MPa{};      ///< symmetric: the mean of what was computed and its transpose
  double asymmetry = 0;              ///< largest |C_ij - C_ji| that was computed, over the largest C_ii
  std::array<certificate, 6> proof;  ///< of each case
  elasticity_solution shown;         ///< of the case zz
};

/// Stiffness under kinematically uniform boundary conditions: every node on the outer faces of the box moves with the mean
/// strain, u = E x. It bounds the stiffness of the material from above; larger boxes come closer to it.
///
/// Column j of the stiffness is the mean stress of case j, read off its solution alone: the six solutions need not be
/// kept, and that the matrix comes out symmetric is a test of them. The mean stress is wrong to first order in the error
/// of the displacements; the diagonal to second, because conjugate gradients leave a residual that does no work on them.
/// @param problem its `fixed` is replaced; borrowed only for the call
/// @param strain amplitude of the mean strains; not 0
/// @throws data_error as elasticity_solver, and if no node lies on the faces
/// @collective on problem.where.comm
/// @cite Hill, J. Mech. Phys. Solids 11 (1963) 357-372; Huet, ibid. 38 (1990) 813-841
homogenised homogenise_kubc(elasticity_problem& problem, double strain, const options& how, sink& log);

/// Mean stress over the whole box [MPa], in the order xx, yy, zz, xy, yz, xz.
/// @collective on problem.where.comm
std::array<double, 6> mean_stress_MPa(const elasticity_problem& problem, std::span<const double> displacement_mm);

/// Displacement u = E x at a point, of the mean strain that is 1 at `component` and 0 elsewhere (a shear: gamma = 1, shared
/// equally by both axes).
vector3 affine_displacement(int component, vector3 position_mm);

}  // namespace osteon::solve
