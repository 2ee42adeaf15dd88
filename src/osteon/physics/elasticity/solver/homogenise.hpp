#pragma once
/// @file
/// The stiffness of a block of material that an image shows: six load cases, one for each mean strain.
#include <array>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <span>

namespace osteon::physics {

/// Means over the whole box of the image, empty space included; the order is xx, yy, zz, xy, yz, xz.
struct homogenised {
  voigt_matrix stiffness_MPa{};                  ///< symmetric: the mean of the computed one and its transpose
  double asymmetry = 0;                          ///< largest |C_ij - C_ji| that was computed, over the largest C_ii
  std::array<solve_certificate, 6> certificate;  ///< of each case
  elasticity_solution shown;                     ///< of the case zz
};

/// How the mean strain acts on the box.
enum class box_faces {
  kubc,     ///< every node on the outer faces moves with it, u = E x: an upper bound that larger boxes bring down
  periodic  ///< the image repeats itself: u = E x and a displacement that is the same on opposite faces
};

/// Stiffness from six mean strains.
///
/// Column j of the stiffness is the mean stress of case j, read off its solution alone: the six solutions need not be
/// kept, and that the matrix comes out symmetric is a test of them. The mean stress is wrong to first order in the error
/// of the displacements; the diagonal to second, because conjugate gradients leave a residual that does no work on them.
/// @param problem its `fixed` and `periodic` are replaced; borrowed only for the call
/// @param strain amplitude of the mean strains; not 0
/// @throws data_error as elasticity_solver; if there is no node on the faces; if the faces are periodic and across some axis
/// no node has a partner on the other side; if parts of the solid float
/// @collective on problem.where.comm
/// @cite [Hill1963]; [Huet1990]
homogenised homogenise(elasticity_problem& problem, box_faces faces, double strain, const options& how, log_sink& log);

/// Check the problem as `homogenise` does, without solving; its `fixed` and `periodic` are replaced.
/// @throws as homogenise @collective on problem.where.comm
void check_homogenisation(elasticity_problem& problem, box_faces faces);

/// Mean stress over the whole box [MPa], in the order xx, yy, zz, xy, yz, xz.
/// @collective on problem.where.comm
std::array<double, 6> mean_stress_MPa(const elasticity_problem& problem, std::span<const double> displacement_mm);

/// Displacement u = E x at a point, of the mean strain that is 1 at `component` and 0 elsewhere (a shear: gamma = 1, shared
/// equally by both axes).
vector3 affine_displacement(int component, vector3 position_mm);

/// The nodes of the low and the high face across an axis.
struct partner_count {
  std::int64_t nodes = 0;   ///< on either face
  std::int64_t paired = 0;  ///< of these, those with a node at the same place of the other face
};

/// Count the nodes on opposite faces that have a partner, across z, y and x. A node without one is a free surface.
/// @collective on problem.where.comm
/// @cost an allreduce of a byte for each point of a face
std::array<partner_count, 3> count_partners(const elasticity_problem& problem);

}  // namespace osteon::physics
