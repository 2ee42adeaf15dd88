#pragma once
/// @file
/// Sets of nodes, selected by position or by voxels. All functions are local to a block. Selections by position contain a
/// shared node on each block of the node. Selections by voxels contain the node only on blocks that own the voxels.
#include <array>
#include <cstdint>
#include <osteon/voxel/run_set.hpp>
#include <span>
#include <variant>
#include <vector>

namespace osteon::voxel {

/// The nodes of a block and their positions. Borrows the runs.
struct node_grid {
  const run_set* cells = nullptr;
  const run_set* nodes = nullptr;  ///< corner_nodes(*cells)
  index3 begin;                    ///< first voxel of the block in the image
  vector3 spacing_mm;
  vector3 origin_mm;  ///< position of the image's low corner

  vector3 position_mm(index3 node) const {
    return {origin_mm.z + static_cast<double>(node.z) * spacing_mm.z,
            origin_mm.y + static_cast<double>(node.y) * spacing_mm.y,
            origin_mm.x + static_cast<double>(node.x) * spacing_mm.x};
  }
  /// Position of a node in the image. @param node local number @cost O(log runs)
  index3 place(std::int32_t node) const;
};

/// Call `visit(local number, position in the image)` for every node, in ascending order of numbers.
template <class F>
void for_each_node(const node_grid& grid, F&& visit) {
  for (const run& r : grid.nodes->runs())
    for (std::int32_t i = 0; i < r.length; ++i) visit(r.first + i, grid.begin + index3{r.z, r.y, r.x + i});
}

/// Call `visit(local number of the cell, its corners)` for every cell; corner 4 dz + 2 dy + dx.
template <class F>
void for_each_cell(const node_grid& grid, F&& visit) {
  for (const run& r : grid.cells->runs()) {
    std::array<std::int32_t, 4> first;
    for (int row = 0; row < 4; ++row)
      first[static_cast<std::size_t>(row)] = grid.nodes->find(r.z + row / 2, r.y + row % 2, r.x);
    for (std::int32_t i = 0; i < r.length; ++i) {
      std::array<std::int32_t, 8> corners;
      for (std::size_t a = 0; a < 8; ++a) corners[a] = first[a / 2] + static_cast<std::int32_t>(a & 1) + i;
      visit(r.first + i, corners);
    }
  }
}

/// Points between two planes across an axis.
struct slab {
  axis across;
  double low_mm, high_mm;
};
/// Points of a round plate.
struct disk {
  vector3 centre_mm, normal;  ///< normal of any length
  double radius_mm, thickness_mm;
};
/// Points of a box along the axes.
struct cuboid {
  vector3 low_mm, high_mm;
};
/// Points covered by a brush: all points within a distance of a polyline, or of a single point (a ball).
struct stroke {
  std::vector<vector3> points_mm;
  double radius_mm;
};
using region = std::variant<slab, disk, cuboid, stroke>;

/// Tolerance of positions as a fraction of the shortest voxel edge. Positions need a tolerance because decimal numbers are
/// rounded.
inline constexpr double on_plane = 1e-5;

/// Nodes in a region, including its boundary, as ascending local numbers.
std::vector<std::int32_t> nodes_in(const node_grid& grid, const region& where);

/// For each node, the number of adjacent voxels of the block. A node is on the surface if the sum over all blocks is less
/// than 8.
std::vector<float> voxels_at_nodes(const node_grid& grid);

/// Per node: 1 at the corners of marked cells, otherwise 0. @param marked per cell, non-zero if marked
std::vector<float> corners_of_cells(const node_grid& grid, std::span<const material_number> marked);

/// Outward vector areas [mm2] of the free faces, shape (nodes, 3). Only faces with four `chosen` nodes contribute; each of
/// these nodes receives a quarter of the area. The result contains the contributions of this block. The two sides of an
/// inner face cancel, also between blocks.
/// @param chosen per node
std::vector<double> face_areas(const node_grid& grid, const std::vector<bool>& chosen);

/// A node and its distance.
struct near_node {
  std::int32_t node = -1;  ///< -1 if the block has no nodes
  double distance_mm = 0;
};

/// Node closest to a point; the node with the lowest number if several are equally close. @cost O(nodes)
near_node nearest_node(const node_grid& grid, vector3 point_mm);

}  // namespace osteon::voxel
