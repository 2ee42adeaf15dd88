#pragma once
/// @file
/// Temperatures as a load of the elastic problem. The temperature of a voxel defines a free thermal strain that is equal
/// along all axes. Restrained thermal strain causes stress (strain_stress.hpp).
#include <osteon/physics/elasticity/solver/elasticity.hpp>

namespace osteon::physics {

/// The free thermal strain alpha (T - T_ref) of each active cell, along every axis.
/// @param temperature_K per active cell @param expansion_per_K coefficient alpha, by material
/// @param reference_K temperature of zero thermal strain
/// @throws usage_error if the sizes do not match, data_error if a value is not finite @collective local
std::vector<double> thermal_strain(const elasticity_problem& problem, std::span<const double> temperature_K,
                                   std::span<const double> expansion_per_K, double reference_K);

/// Nodal forces of thermal strains: integral of B^T D eps over the cells of this rank.
///
/// The forces of all ranks at a shared node are summed, as in elasticity_load.forces. The pressure (3 lambda + 2 mu) eps
/// of a cell is uniform. The force at each corner of a face is therefore a quarter of the product of pressure and face
/// area.
/// @param strain per active cell @throws usage_error if the number of strains is not the number of active cells
/// @collective local
/// @cite [Zienkiewicz], section 2.2.3
std::vector<nodal_force> thermal_forces(const elasticity_problem& problem, std::span<const double> strain);

/// Return a statically determinate support: six prescribed displacements that prevent the rigid motions. Balanced loads
/// cause no reactions at this support. The first node is constrained along three axes, and the node farthest from the
/// first node along two axes. The node farthest from the line through the first two nodes is constrained along one axis.
/// The nodes are independent of the number of ranks. All ranks that share a node prescribe the displacements of the node.
/// @collective on problem.where.comm, which must have an active cell @cost three passes over the nodes
std::vector<prescribed_displacement> determinate_support(const elasticity_problem& problem);

/// Fix all nodes of one voxel of the solid. With this support, find_loose_parts() reports the parts that are not connected
/// to the voxel.
/// @collective on problem.where.comm
std::vector<prescribed_displacement> support_of_a_voxel(const elasticity_problem& problem);

}  // namespace osteon::physics
