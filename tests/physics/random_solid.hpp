#pragma once
/// @file
/// A random solid of two materials for the evaluation of displacements. The solid is equal on any number of ranks.
#include <functional>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <random>

namespace osteon::random_solid {

inline const voxel::material_table materials{{}, {"soft", 3.0, 0.1}, {"stiff", 50.0, 0.45}};

/// The part of one rank in a block. The fraction `density` of the block is solid, and its two outer z planes are full.
inline numerics::elasticity_problem make(index3 shape, vector3 spacing_mm, double density) {
  std::mt19937 generator(7);
  std::vector<material_number> image(static_cast<std::size_t>(shape.volume()));
  const auto plane = static_cast<std::size_t>(shape.y * shape.x);
  std::vector<std::int64_t> per_plane(static_cast<std::size_t>(shape.z));
  for (std::size_t i = 0; i < image.size(); ++i) {
    const auto random = static_cast<double>(generator()) / 4294967296.0;
    const bool outer = i < plane || i >= image.size() - plane;
    image[i] = outer || random < density ? static_cast<material_number>(1 + generator() % 2) : 0;
    per_plane[i / plane] += image[i] != 0;
  }
  numerics::elasticity_problem p;
  p.where = grid::make_block(MPI_COMM_WORLD, shape, per_plane);
  p.spacing_mm = spacing_mm;
  p.materials = &materials;
  const view3<const material_number> own(image.data() + p.where.owned.begin.z * static_cast<std::int64_t>(plane),
                                         p.where.owned.shape());
  p.cells = voxel::active_cells(own);
  p.nodes = voxel::corner_nodes(p.cells);
  p.material = voxel::gather(p.cells, own);
  return p;
}

/// Calls `body(node, position)` for the nodes of a rank. Positions are in voxels of the whole image.
inline void for_each_node(const numerics::elasticity_problem& p, const std::function<void(std::int32_t, index3)>& body) {
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) body(r.first + i, {p.where.owned.begin.z + r.z, r.y, r.x + i});
}

}  // namespace osteon::random_solid
