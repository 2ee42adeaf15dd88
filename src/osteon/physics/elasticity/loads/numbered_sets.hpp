#pragma once
/// @file
/// Numbered sets of nodes, and the voxels at their nodes.
#include <nlohmann/json.hpp>
#include <osteon/io/label_nrrd.hpp>
#include <osteon/physics/elasticity/loads/loads.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

/// Sets numbered from 1 in the order of addition. There are at most 255 sets.
class numbered_sets {
 public:
  /// Borrows `sets`.
  explicit numbered_sets(const node_sets& sets) : sets_(sets) {}

  /// Add a set. @return number of the set; 0 if the limit is reached @collective local
  int add(const node_set_ptr& set);

  /// Number, name, node count, bounding box and mean position of each set. Positions are [z, y, x]. @collective local
  nlohmann::ordered_json described() const;

  /// Voxels of this rank with a node in a set, as runs of voxels with equal set numbers. A voxel in several sets has the
  /// number of the smallest set. @collective local
  std::vector<io::label_run> runs() const;

 private:
  const node_sets& sets_;
  std::vector<node_set_ptr> known_;
};

/// [z, y, x]
inline nlohmann::ordered_json list_z_y_x(const vector3& v) { return {v.z, v.y, v.x}; }

/// Mean point of action of the forces on nodes, weighted by magnitude. @collective
vector3 point_of(const applied_force& force, const node_sets& sets);

}  // namespace osteon::physics
