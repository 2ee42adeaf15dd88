#pragma once
/// @file
/// The face-connected parts of a solid on all ranks, and their common nodes.
#include <array>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// A node at which parts meet.
struct meeting_node {
  std::int32_t node;  ///< local number
  index3 place;       ///< lattice coordinates in the image
  std::vector<std::int32_t> parts;
};

/// The parts of a solid, numbered over all ranks. The numbers depend on the decomposition.
class solid_parts {
 public:
  /// Borrows the runs. @param nodes corner_nodes(cells) @param periodic axes across whose faces parts are connected
  /// @collective on where.comm
  /// @cost O(runs); on several ranks one allgather of the parts that meet in faces between ranks, and 9 exchanges of one
  /// number per shared node
  solid_parts(const grid::block& where, const voxel::run_set& cells, const voxel::run_set& nodes,
              const std::array<bool, 3>& periodic = {});

  std::int32_t count() const { return count_; }
  std::span<const std::int32_t> of_run() const { return part_of_run_; }
  MPI_Comm comm() const { return comm_; }

  /// Nodes of this rank at which parts meet, ascending. All ranks that share such a node list it.
  const std::vector<meeting_node>& meetings() const { return meetings_; }
  /// The parts that contain a node; a single part if no parts meet there.
  std::span<const std::int32_t> at_node(std::int32_t node) const;
  /// True if no lower rank shares the node.
  bool owns(std::int32_t node) const;
  /// Coordinates of a node in the image.
  index3 place(std::int32_t node) const;

  /// Voxels of each part, all ranks. @collective
  std::vector<std::int64_t> voxels() const;
  /// Lowest and highest nodes of each part: (z, y, x) of both, all ranks. @collective
  std::vector<std::array<std::int64_t, 6>> bounds() const;

 private:
  void number_parts();
  void find_corners(const std::vector<std::int64_t>& label_of_run);
  void find_meetings();
  template <class F>
  void for_each_row_of_nodes(F&& f) const;

  MPI_Comm comm_;
  index3 begin_;
  const voxel::run_set& cells_;
  const voxel::run_set& nodes_;
  grid::shared_nodes shared_;
  std::int32_t count_ = 0;
  std::vector<std::int32_t> part_of_run_;
  std::vector<std::int32_t> shared_list_;                       // nodes with copies on other ranks
  std::vector<std::array<std::int64_t, 8>> corners_of_shared_;  // labels, then parts of the adjacent cells; -1: no cell
  std::vector<std::int32_t> part_of_node_;                      // the first one found; empty if there is one part
  std::vector<meeting_node> meetings_;
};

}  // namespace osteon::physics
