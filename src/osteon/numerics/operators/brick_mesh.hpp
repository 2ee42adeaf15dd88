#pragma once
/// @file
/// The coarse meshes of the elasticity solver. A brick consists of 2 x 2 x 2 bricks of the next finer level; bricks are
/// aligned in the whole image. A brick shared by ranks exists on each of these ranks. On each rank, the brick has only the
/// children of this rank.
///
/// Disconnected parts remain separate. If children of one place share no node, they form several bricks. Adjacent bricks
/// share a node only if they share a child node that depends on this node; otherwise the node is cloned. Cloned nodes keep
/// the struts of trabecular bone independent of one another on every level.
/// @cite [Dick2011]: one coarse cell for each connected component
#include <array>
#include <cstdint>
#include <functional>
#include <osteon/base/box.hpp>
#include <osteon/grid/shared_nodes.hpp>
#include <string>
#include <vector>

namespace osteon::numerics {

/// Places of the bricks of one level in the whole image.
struct brick_lattice {
  index3 shape;                         ///< bricks
  std::array<bool, 3> periodic{};       ///< if true, the last plane of nodes along the axis is identical to the first
  std::array<double, 3> last{1, 1, 1};  ///< size of the last brick along an axis; other bricks have size 1
};

/// The bricks of a rank on one coarse level, in z, y, x order; several bricks may have the same place.
struct brick_mesh {
  brick_lattice lattice;
  std::int64_t z_begin = 0, z_end = 0;               ///< planes of bricks of this rank
  std::vector<std::int32_t> plane_begin;             ///< first brick of each of these planes, and the end
  std::vector<std::int32_t> node_plane_begin;        ///< first node of each plane of nodes, and the end
  std::vector<std::array<std::int32_t, 8>> corners;  ///< nodes of a brick; corner 4 z + 2 y + x
  std::vector<std::int64_t> node_place;              ///< index of each node in the lattice of (shape + 1) points, ascending
  std::vector<std::int64_t> node_id;                 ///< global identifier of a node; used in set-up
  std::vector<grid::identified_node> boundary;       ///< nodes that may have copies
};

using brick_visitor = std::function<void(std::int64_t y, std::int64_t x, const std::array<std::int32_t, 8>& corners)>;

/// Name of a level's nodes in message counts; level 0 has the nodes of the voxels.
inline std::string name_of_level(int level) { return "nodes of level " + std::to_string(level); }

/// The bricks to be coarsened.
struct child_bricks {
  brick_lattice lattice;
  std::int64_t z_begin, z_end;  ///< planes of bricks of this rank
  std::span<const std::int64_t> node_id;
  const grid::shared_nodes* shared;
  bool are_voxels;  ///< if true, each place has at most one brick, and all children of a parent share the middle node of the
                    ///< parent
  std::function<void(std::int64_t z, const brick_visitor&)> visit_plane;  ///< calls the visitor for the bricks of plane z in
                                                                          ///< y, x order
};

/// A coarse mesh, and its connections to the bricks and nodes of the child mesh.
struct coarse_mesh {
  brick_mesh mesh;
  std::array<double, 3> middle{0.5, 0.5, 0.5};  ///< division point of the last parent along an axis, in [0, 1]
  std::vector<std::int32_t> parent;             ///< parent of each child brick
  std::vector<std::int32_t> node_brick;         ///< per child node: a brick that contains the node
  std::vector<std::uint8_t> node_place;         ///< per child node: its place in this brick, 27 (kind of the brick) + 9 z +
                                                ///< 3 y + x
};

/// Kind of a brick. Bit 4 (z), 2 (y) or 1 (x) is set if the brick is the last along this axis and not divided in the middle.
int brick_kind(const coarse_mesh& mesh, index3 place);

/// The corners that determine a node at place 9 z + 3 y + x (0, 1, 2: low, between, high) of a brick.
struct parent_corners {
  int count[27];
  int corner[27][8];
};
constexpr parent_corners make_parent_corners() {
  parent_corners table{};
  for (int place = 0; place < 27; ++place)
    for (int a = 0; a < 8; ++a) {
      const int at[3] = {place / 9, place / 3 % 3, place % 3}, corner[3] = {a >> 2, a >> 1 & 1, a & 1};
      bool is_parent = true;
      for (int d = 0; d < 3; ++d) is_parent = is_parent && (at[d] == 1 || at[d] == 2 * corner[d]);
      if (is_parent) table.corner[place][table.count[place]++] = a;
    }
  return table;
}
inline constexpr parent_corners parents_of_place = make_parent_corners();

/// Build the parents of bricks.
/// @collective on comm
coarse_mesh coarsen(MPI_Comm comm, const child_bricks& children);

/// The bricks of a mesh as children. Borrows both arguments.
child_bricks children_of(const brick_mesh& mesh, const grid::shared_nodes& shared);

}  // namespace osteon::numerics
