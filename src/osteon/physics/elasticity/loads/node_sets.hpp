#pragma once
/// @file
/// The node sets of a job on a distributed model.
#include <map>
#include <memory>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/node_set.hpp>

namespace osteon::physics {

/// A named set of nodes. Each rank stores all of its nodes that belong to the set, including shared nodes.
struct node_set {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< ascending local numbers
  std::int64_t size = 0;            ///< nodes of all ranks, each counted once
  vector3 low_mm, high_mm;          ///< bounding box, all ranks
  vector3 centroid_mm;              ///< mean position
};

using node_set_ptr = std::shared_ptr<const node_set>;

/// The selection of a face.
struct face_choice {
  bool of_solid = false;  ///< face of the bounding box of the solid instead of the image
  double depth_mm = 0;
};

/// The nodes of a specimen and its sets. Members that create sets are collective.
class node_sets {
 public:
  /// Borrows all arguments. @collective on part.where.comm
  node_sets(const spec& job, const local_model& part, const voxel::run_set& nodes);

  /// Return a set of the job, or a face of the image, by name.
  /// @throws data_error if the set contains no node @collective
  node_set_ptr find(const std::string& name);
  /// The low or high face normal to `across`. @throws data_error if the face contains no node @collective
  node_set_ptr face(axis across, bool high, face_choice which) const;
  /// Create a set of given nodes. @param nodes ascending; each rank includes all its nodes of the set
  /// @param selection description of the selection for the error message @param remedy action for the user in the error
  /// message
  /// @throws data_error if the set is empty @collective
  node_set_ptr make(std::string name, std::vector<std::int32_t> nodes, const std::string& selection,
                    const std::string& remedy = "move or enlarge the set") const;

  const voxel::node_grid& grid() const { return grid_; }
  const grid::shared_nodes& shared() const { return shared_; }
  const local_model& part() const { return part_; }
  const spec& job() const { return job_; }
  MPI_Comm comm() const { return part_.where.comm; }
  /// Global number of a node, independent of the decomposition. @param node local number
  std::int64_t id(std::int32_t node) const { return grid::node_id(part_.where.domain, grid_.place(node)); }
  vector3 position_mm(std::int32_t node) const { return grid_.position_mm(grid_.place(node)); }
  /// Return true if the node is not shared with a lower rank.
  bool owns(std::int32_t node) const;
  /// Low and high corner of the bounding box of the solid.
  vector3 solid_low_mm() const { return grid_.position_mm(low_); }
  vector3 solid_high_mm() const { return grid_.position_mm(high_); }

 private:
  std::vector<std::int32_t> select(const set_spec& s) const;
  std::vector<std::int32_t> select_material(const std::string& name) const;
  std::vector<std::int32_t> select_labels(const set_spec& s) const;
  std::vector<std::int32_t> select_voxels(const set_spec& s) const;
  std::vector<std::int32_t> select_nodes(const set_spec& s) const;
  std::vector<std::int32_t> select_points(const set_spec& s) const;
  std::vector<std::int32_t> corners(const std::vector<material_number>& marked_cells) const;
  node_set_ptr face_or(const std::string& remedy, axis across, bool high, face_choice which) const;
  voxel::slab face_slab(axis across, bool high, face_choice which) const;
  std::vector<std::int32_t> on_surface(const std::vector<std::int32_t>& nodes) const;

  const spec& job_;
  const local_model& part_;
  voxel::node_grid grid_;
  grid::shared_nodes shared_;
  index3 low_, high_;  // first and last position of a node, all ranks
  std::map<std::string, node_set_ptr> known_;
};

/// Text "[z, y, x] mm".
std::string in_mm(const vector3& position);
/// Convert a list of three numbers to a vector.
inline vector3 to_vector(const std::vector<double>& list) { return {list[0], list[1], list[2]}; }
/// The axis of a letter.
inline axis axis_of(char letter) { return letter == 'z' ? axis::z : letter == 'y' ? axis::y : axis::x; }

}  // namespace osteon::physics
