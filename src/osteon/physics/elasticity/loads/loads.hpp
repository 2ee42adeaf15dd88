#pragma once
/// @file
/// Supports and forces of a job, on the nodes of a rank.
#include <array>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/loads/node_sets.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// A rigid motion that a set is held to, along some axes.
struct support {
  node_set_ptr on;
  std::array<bool, 3> held{};  ///< z, y, x
  vector3 move_mm{};
  vector3 turn_rad{};  ///< right-handed, about z, y, x; displacements are linear in it
  vector3 about_mm{};
  bool varies = false;            ///< nodes have displacements of their own, of which move_mm is the mean
  std::vector<vector3> own_mm{};  ///< those of on->nodes, if so

  /// That of a rigid motion.
  vector3 displacement_mm(const vector3& at_mm) const;
};

/// Forces on a set.
struct applied_force {
  std::string on;
  std::int64_t size = 0;                     ///< loaded nodes, all ranks
  std::vector<numerics::nodal_force> nodes;  ///< on nodes that no lower rank has, and for weight each rank's part
  vector3 total_N{};                         ///< all ranks
  const char* kind = "force";                ///< force, toward, pressure, weight, or model: as the model's own file gives it
  node_set_ptr set{};                        ///< null: no set of its own
};

/// Find the set and the motion. @collective
support make_support(node_sets& sets, const support_spec& what);

/// Spread a force over its set.
/// @throws data_error if the set has no free face to press on, or a node lies where the forces point to @collective
applied_force make_force(node_sets& sets, const force_spec& what);

/// What every voxel weighs, an eighth at each corner. @param gravity_m_per_s2 z, y, x @collective
applied_force body_weight(const node_sets& sets, const vector3& gravity_m_per_s2);

/// The displacements that supports prescribe, ordered by node and axis, each once.
/// @throws usage_error if two supports want different displacements of a node: their sets, how many nodes, and where one is
/// @collective
std::vector<numerics::prescribed_displacement> prescribe(const node_sets& sets, const std::vector<support>& supports);

}  // namespace osteon::physics
