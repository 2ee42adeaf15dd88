#pragma once
/// @file
/// Supports and forces of a job at the nodes of a rank.
#include <array>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/node_sets.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// A rigid motion of a set, prescribed along some axes.
struct support {
  node_set_ptr on;
  std::array<bool, 3> held{};  ///< z, y, x
  vector3 move_mm{};
  vector3 turn_rad{};  ///< right-handed, about z, y, x; displacements are linear in the angles
  vector3 about_mm{};
  bool varies = false;            ///< the nodes have individual displacements; move_mm is the mean displacement
  std::vector<vector3> own_mm{};  ///< displacements of on->nodes if `varies`

  /// Displacement of the rigid motion at a position.
  vector3 displacement_mm(const vector3& at_mm) const;
};

/// Forces on a set.
struct applied_force {
  std::string on;
  std::int64_t size = 0;                     ///< loaded nodes, all ranks
  std::vector<numerics::nodal_force> nodes;  ///< at owned nodes; for a weight: contributions of this rank at all its nodes
  vector3 total_N{};                         ///< sum over all ranks
  const char* kind = "force";                ///< force, toward, pressure, weight, or model (a force of the model file)
  node_set_ptr set{};                        ///< null: without a set
};

/// Create the support of a [[support]] entry. @collective
support make_support(node_sets& sets, const support_spec& keys);

/// Distribute the force of a [[force]] entry over the nodes of a set.
/// @throws data_error if the set has no free face for a pressure, or a node coincides with the target point of the forces
/// @collective
applied_force make_force(node_sets& sets, const force_spec& keys);

/// Set total_N to the sum of the nodal forces. @collective on comm
void sum_nodal_forces(applied_force& force, MPI_Comm comm);

/// Names of axes, for example "zx".
std::string letters_of(const std::array<bool, 3>& axes);

/// Weight of the voxels, distributed equally to their corners. @param gravity_m_per_s2 z, y, x @collective
applied_force body_weight(const node_sets& sets, const vector3& gravity_m_per_s2);

/// The displacements prescribed by supports, ordered by node and axis, without duplicates.
/// @throws usage_error if two supports prescribe different displacements of a node; the message states sets, number of
/// nodes, and a position
/// @collective
std::vector<numerics::prescribed_displacement> prescribe(const node_sets& sets, const std::vector<support>& supports);

}  // namespace osteon::physics
