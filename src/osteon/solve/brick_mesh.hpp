#pragma once
/// @file
/// The coarse meshes of the elasticity solver: bricks of 2 x 2 x 2 bricks of the level below, aligned in the whole
/// image. A brick that ranks share is on each of them, with that rank's own children only.
#include <array>
#include <cstdint>
#include <functional>
#include <osteon/base/box.hpp>
#include <vector>

namespace osteon::solve {

/// The bricks of a rank on one coarse level, in z, y, x order.
struct brick_mesh {
  index3 shape;                                      ///< bricks of the whole image on this level
  std::int64_t z_begin = 0, z_end = 0;               ///< planes of bricks of this rank
  std::vector<std::int32_t> plane_begin;             ///< first brick of each of these planes, and the end
  std::vector<std::array<std::int32_t, 8>> corners;  ///< nodes of a brick; corner 4 z + 2 y + x
  std::vector<std::int64_t> node_id;                 ///< global number of a node, ascending
};

using brick_visitor = std::function<void(std::int64_t y, std::int64_t x, const std::array<std::int32_t, 8>& corners)>;

/// How the children hang on their parents.
struct coarse_mesh {
  brick_mesh mesh;
  std::vector<std::int32_t> parent;      ///< of each child brick
  std::vector<std::int32_t> node_brick;  ///< of each child node: a brick that holds it
  std::vector<std::uint8_t> node_place;  ///< and its place there, 9 z + 3 y + x in half edges
};

/// Build the parents of the bricks in the planes [z_begin, z_end).
/// @param shape bricks of the whole image on the children's level
/// @param visit_plane calls its visitor for the bricks of plane z in y, x order
coarse_mesh coarsen(index3 shape, std::int64_t z_begin, std::int64_t z_end, std::int32_t nodes,
                    const std::function<void(std::int64_t z, const brick_visitor&)>& visit_plane);

/// The parents of a coarse mesh.
coarse_mesh coarsen(const brick_mesh& children);

}  // namespace osteon::solve
