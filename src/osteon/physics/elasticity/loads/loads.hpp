#pragma once
/// @file
/// Supports and forces of a job on the nodes of a rank.
#include <array>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/node_sets.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// A rigid motion prescribed for a set, along some axes.
struct support {
  node_set_ptr on;
  std::array<bool, 3> held{};  ///< z, y, x
  vector3 move_mm{};
  vector3 turn_rad{};  ///< right-handed, about z, y, x; displacements are linear in it
  vector3 about_mm{};
  bool varies = false;            ///< nodes have individual displacements, of which move_mm is the mean
  std::vector<vector3> own_mm{};  ///< displacements of on->nodes, if they vary

  /// Displacement of the rigid motion at a position.
  vector3 displacement_mm(const vector3& at_mm) const;
};

/// Forces on a set.
struct applied_force {
  std::string on;
  std::int64_t size = 0;                     ///< loaded nodes, all ranks
  std::vector<numerics::nodal_force> nodes;  ///< on nodes not shared with a lower rank, and for weight the part of each rank
  vector3 total_N{};                         ///< all ranks
  const char* kind = "force";                ///< force, toward, pressure, weight, or model: given by the file of the model
  node_set_ptr set{};                        ///< null: no set of its own
};

/// Find the set and the motion. @collective
support make_support(node_sets& sets, const support_spec& what);

/// Distribute a force over its set.
/// @throws data_error if the set has no free face for a pressure, or a node coincides with the target point of the forces
/// @collective
applied_force make_force(node_sets& sets, const force_spec& what);

/// Weight of the voxels, an eighth of each at each corner. @param gravity_m_per_s2 z, y, x @collective
applied_force body_weight(const node_sets& sets, const vector3& gravity_m_per_s2);

/// The displacements prescribed by supports, ordered by node and axis, without duplicates.
/// @throws usage_error if two supports prescribe different displacements of a node: their sets, the number of nodes, and the
/// position of one
/// @collective
std::vector<numerics::prescribed_displacement> prescribe(const node_sets& sets, const std::vector<support>& supports);

}  // namespace osteon::physics
