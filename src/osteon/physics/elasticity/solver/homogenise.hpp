#pragma once
/// @file
/// Effective stiffness of a block of material from six load cases, one for each mean strain.
#include <array>
#include <osteon/physics/elasticity/solver/elastic_constants.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <span>

namespace osteon::physics {

/// Means over the whole box of the image, void included, in the order xx, yy, zz, xy, yz, xz.
struct homogenised {
  voigt_matrix stiffness_MPa{};                  ///< symmetric: mean of the computed stiffness and its transpose
  double asymmetry = 0;                          ///< largest |C_ij - C_ji| of the computed stiffness over the largest C_ii
  std::array<solve_certificate, 6> certificate;  ///< certificate of each case
  elasticity_solution shown;                     ///< solution of the case zz
};

/// Boundary condition for the mean strain.
enum class box_faces {
  kubc,  ///< u = E x for all nodes on the outer faces: an upper bound of the stiffness; the bound decreases with the size of
         ///< the box
  periodic  ///< u = E x plus a periodic displacement
};

/// Compute the stiffness from six mean strains.
///
/// Column j of the stiffness is the mean stress of the solution of case j. The solutions are not stored. The symmetry of
/// the stiffness is a check of the solutions. The error of the mean stress is of first order in the error of the
/// displacements. The error of the diagonal entries is of second order, because the residual of conjugate gradients does
/// no work on the solution.
/// @param problem the function replaces the members `fixed` and `periodic`
/// @param strain amplitude of the mean strains; not 0
/// @throws data_error as elasticity_solver; if the faces have no nodes; if no node of periodic faces has a partner; if parts
/// of the solid are loose
/// @collective on problem.where.comm
/// @cite [Hill1963]; [Huet1990]
homogenised homogenise(elasticity_problem& problem, box_faces faces, double strain, const options& options, log_sink& log);

/// Check the problem as `homogenise` does, without a solution. The function replaces the members `fixed` and `periodic` of
/// the problem.
/// @throws as homogenise @collective on problem.where.comm
void check_homogenisation(elasticity_problem& problem, box_faces faces);

/// Mean stress over the whole box [MPa], in the order xx, yy, zz, xy, yz, xz.
/// @collective on problem.where.comm
std::array<double, 6> mean_stress_MPa(const elasticity_problem& problem, std::span<const double> displacement_mm);

/// Displacement u = E x at a point for a unit mean strain. @param component strain component; a shear has gamma = 1,
/// divided equally between the two axes
vector3 affine_displacement(int component, vector3 position_mm);

/// Node counts of the low and the high face normal to an axis.
struct partner_count {
  std::int64_t nodes = 0;   ///< on both faces
  std::int64_t paired = 0;  ///< nodes with a node at the same position of the other face
};

/// Count the nodes on opposite faces with a partner, for z, y and x. Nodes without a partner belong to the free surface.
/// @collective on problem.where.comm
/// @cost an allreduce of a byte for each point of a face
std::array<partner_count, 3> count_partners(const elasticity_problem& problem);

}  // namespace osteon::physics
