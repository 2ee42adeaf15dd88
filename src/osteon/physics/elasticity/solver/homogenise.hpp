#pragma once
/// @file
/// The effective stiffness of a block of material: six load cases, one for each mean strain.
#include <array>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <span>

namespace osteon::physics {

/// Means over the whole box of the image, empty space included; the order is xx, yy, zz, xy, yz, xz.
struct homogenised {
  voigt_matrix stiffness_MPa{};                  ///< symmetric: the mean of the computed stiffness and its transpose
  double asymmetry = 0;                          ///< largest computed |C_ij - C_ji| divided by the largest C_ii
  std::array<solve_certificate, 6> certificate;  ///< certificate of each case
  elasticity_solution shown;                     ///< solution of the case zz
};

/// Boundary condition for the mean strain.
enum class box_faces {
  kubc,     ///< all nodes on the outer faces have u = E x: an upper bound, which decreases for larger boxes
  periodic  ///< periodic image: u = E x plus a displacement that is equal on opposite faces
};

/// Stiffness from six mean strains.
///
/// Column j of the stiffness is the mean stress of case j, computed from its solution alone: the six solutions need not be
/// stored, and the symmetry of the matrix is a test of them. The mean stress has a first-order error in the error of the
/// displacements; the diagonal has a second-order error, because the residual of conjugate gradients does no work on them.
/// @param problem its `fixed` and `periodic` are replaced; borrowed only for the call
/// @param strain amplitude of the mean strains; not 0
/// @throws data_error as elasticity_solver; if there is no node on the faces; if the faces are periodic and no node has a
/// partner across some axis; if parts of the solid float
/// @collective on problem.where.comm
/// @cite [Hill1963]; [Huet1990]
homogenised homogenise(elasticity_problem& problem, box_faces faces, double strain, const options& how, log_sink& log);

/// Check the problem as `homogenise` does, without solving; its `fixed` and `periodic` are replaced.
/// @throws as homogenise @collective on problem.where.comm
void check_homogenisation(elasticity_problem& problem, box_faces faces);

/// Mean stress over the whole box [MPa], in the order xx, yy, zz, xy, yz, xz.
/// @collective on problem.where.comm
std::array<double, 6> mean_stress_MPa(const elasticity_problem& problem, std::span<const double> displacement_mm);

/// Displacement u = E x at a point, for the mean strain that is 1 at `component` and 0 elsewhere (a shear: gamma = 1, shared
/// equally by both axes).
vector3 affine_displacement(int component, vector3 position_mm);

/// The nodes of the low and the high face across an axis.
struct partner_count {
  std::int64_t nodes = 0;   ///< on either face
  std::int64_t paired = 0;  ///< number with a node at the same place of the other face
};

/// Count the nodes on opposite faces that have a partner, across z, y and x. A node without one is a free surface.
/// @collective on problem.where.comm
/// @cost an allreduce of a byte for each point of a face
std::array<partner_count, 3> count_partners(const elasticity_problem& problem);

}  // namespace osteon::physics
