#pragma once
/// @file
/// Face-connected parts of a distributed solid, and their common nodes.
#include <array>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <vector>

namespace osteon::physics {

/// A common node of several parts.
struct meeting_node {
  std::int32_t node;  ///< local number
  index3 place;       ///< lattice coordinates in the image
  std::vector<std::int32_t> parts;
};

/// The parts of a solid with global numbers. The numbers depend on the decomposition.
class solid_parts {
 public:
  /// Borrows the runs. @param nodes corner_nodes(cells) @param periodic axes along which opposite faces connect parts
  /// @collective on where.comm
  /// @cost O(runs); on several ranks an allgather of the pairs of parts connected across ranks, and 9 exchanges of a number
  /// per shared node
  solid_parts(const grid::block& where, const voxel::run_set& cells, const voxel::run_set& nodes,
              const std::array<bool, 3>& periodic = {});

  std::int32_t count() const { return count_; }
  std::span<const std::int32_t> of_run() const { return part_of_run_; }
  MPI_Comm comm() const { return comm_; }

  /// Common nodes of several parts on this rank, ascending. Shared nodes are listed on all their ranks.
  const std::vector<meeting_node>& meetings() const { return meetings_; }
  /// The parts that contain a node.
  std::span<const std::int32_t> at_node(std::int32_t node) const;
  /// Return true if no lower rank shares the node.
  bool owns(std::int32_t node) const;
  /// Coordinates of a node in the image.
  index3 place(std::int32_t node) const;

  /// Number of voxels of each part, all ranks. @collective
  std::vector<std::int64_t> voxels() const;
  /// Bounding box of each part in nodes: lowest z, y, x, then highest z, y, x; all ranks. @collective
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
  std::vector<std::int32_t> part_of_node_;                      // first part of each node; empty if there is a single part
  std::vector<meeting_node> meetings_;
};

}  // namespace osteon::physics
