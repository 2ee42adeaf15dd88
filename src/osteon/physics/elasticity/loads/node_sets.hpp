#pragma once
/// @file
/// The node sets of a job on a specimen that is spread over ranks.
#include <map>
#include <memory>
#include <osteon/grid/block_nodes.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/node_set.hpp>

namespace osteon::physics {

/// Nodes by name. A rank has all those of its own nodes that belong to the set.
struct node_set {
  std::string name;
  std::vector<std::int32_t> nodes;  ///< ascending local numbers
  std::int64_t size = 0;            ///< all ranks, every node counted once
  vector3 low_mm, high_mm;          ///< smallest box around the set, all ranks
  vector3 centroid_mm;              ///< mean position
};

using node_set_ptr = std::shared_ptr<const node_set>;

/// Which faces a test loads.
struct face_choice {
  bool of_solid = false;  ///< of the smallest box around the solid, not of the image
  double depth_mm = 0;
};

/// The nodes of a specimen, and sets of them. All members that make sets are collective.
class node_sets {
 public:
  /// Borrows all of its arguments. @collective on part.where.comm
  node_sets(const spec& job, const local_model& part, const voxel::run_set& nodes);

  /// A set of the job or a face of the image.
  /// @throws data_error if it selects no node, or touches no solid where it must @collective
  node_set_ptr find(const std::string& name);
  /// The low or high face across `across`, which a test loads. @throws data_error if it has no node @collective
  node_set_ptr face(axis across, bool high, face_choice which) const;
  /// A set of given nodes. @param nodes ascending; a rank that has a node of the set names it
  /// @param selection how they were chosen @param remedy what a user can do if there are none, both for the message
  /// @throws data_error if there are none @collective
  node_set_ptr make(std::string name, std::vector<std::int32_t> nodes, const std::string& selection,
                    const std::string& remedy = "move it there, or make it larger") const;

  const voxel::node_grid& grid() const { return grid_; }
  const grid::shared_nodes& shared() const { return shared_; }
  const local_model& part() const { return part_; }
  const spec& job() const { return job_; }
  MPI_Comm comm() const { return part_.where.comm; }
  /// The same for every decomposition. @param node local number
  std::int64_t id(std::int32_t node) const { return grid::node_id(part_.where.domain, grid_.place(node)); }
  vector3 position_mm(std::int32_t node) const { return grid_.position_mm(grid_.place(node)); }
  /// Whether no lower rank has the node as well.
  bool owns(std::int32_t node) const;
  /// Edges of the smallest box around the solid's nodes.
  vector3 solid_low_mm() const { return grid_.position_mm(low_); }
  vector3 solid_high_mm() const { return grid_.position_mm(high_); }

 private:
  std::vector<std::int32_t> select(const set_spec& what) const;
  std::vector<std::int32_t> select_material(const std::string& name) const;
  std::vector<std::int32_t> select_labels(const set_spec& what) const;
  std::vector<std::int32_t> select_voxels(const set_spec& what) const;
  std::vector<std::int32_t> select_nodes(const set_spec& what) const;
  std::vector<std::int32_t> select_points(const set_spec& what) const;
  std::vector<std::int32_t> corners(const std::vector<material_number>& marked_cells) const;
  node_set_ptr face_or(const std::string& remedy, axis across, bool high, face_choice which) const;
  voxel::slab face_slab(axis across, bool high, face_choice which) const;
  std::vector<std::int32_t> on_surface(const std::vector<std::int32_t>& nodes) const;

  const spec& job_;
  const local_model& part_;
  voxel::node_grid grid_;
  grid::shared_nodes shared_;
  index3 low_, high_;  // first and last place of a node, all ranks
  std::map<std::string, node_set_ptr> known_;
};

/// "[z, y, x] mm".
std::string in_mm(const vector3& position);
/// A list of three as a vector.
inline vector3 to_vector(const std::vector<double>& list) { return {list[0], list[1], list[2]}; }
/// An axis by its letter.
inline axis axis_of(char letter) { return letter == 'z' ? axis::z : letter == 'y' ? axis::y : axis::x; }

}  // namespace osteon::physics
