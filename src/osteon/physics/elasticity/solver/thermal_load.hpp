#pragma once
/// @file
/// Temperatures as a load of the elastic problem. One temperature per voxel defines one free thermal strain per voxel, equal
/// along all axes; restrained thermal strain causes stress (strain_stress.hpp). A body that is free to deform gets a support
/// without reactions.
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// The free thermal strain alpha (T - T_ref) of each active cell, along every axis.
/// @param temperature_K per active cell @param expansion_per_K coefficient alpha, by material
/// @param reference_K temperature of zero thermal strain
/// @throws usage_error if the sizes do not fit, data_error if a value is not finite @collective local
std::vector<double> thermal_strain(const elasticity_problem& problem, std::span<const double> temperature_K,
                                   std::span<const double> expansion_per_K, double reference_K);

/// The nodal forces of those strains, integral of B^T D eps over the cells, on the nodes of this rank.
///
/// Each rank adds the contributions of its own cells, as required for elasticity_load.forces. On the bricks the pressure (3
/// lambda + 2 mu) eps of a cell is uniform, so a quarter of pressure times face area acts at each corner of a face.
/// @param strain per active cell @throws usage_error if there is not one per active cell @collective local
/// @cite [Zienkiewicz], section 2.2.3
std::vector<nodal_force> thermal_forces(const elasticity_problem& problem, std::span<const double> strain);

/// Six displacements that prevent exactly the rigid motions, so that loads in balance cause no reactions: one node is held
/// in three axes, the one farthest from it in two, the one farthest from the line through both in one.
///
/// The nodes do not depend on the number of ranks; every rank that contains one of them prescribes it.
/// @collective on problem.where.comm, which must have an active cell @cost three passes over the nodes
std::vector<prescribed_displacement> determinate_support(const elasticity_problem& problem);

/// Fix all nodes of one voxel of the solid: find_loose_parts() then reports the parts not connected to it.
/// @collective on problem.where.comm
std::vector<prescribed_displacement> support_of_a_voxel(const elasticity_problem& problem);

}  // namespace osteon::physics
