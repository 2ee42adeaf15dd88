#pragma once
/// @file
/// Small voxel models for the tests of elasticity.
#include <mpi.h>

#include <functional>
#include <osteon/solve/elasticity.hpp>
#include <vector>

namespace osteon::elastic_model {

using image = std::vector<std::uint8_t>;
using axis_value = std::function<void(int direction, double value_mm)>;
/// Prescribes displacements of the node at (z, y, x), global, by calling `fix`.
using support = std::function<void(index3 node, const axis_value& fix)>;

struct model {
  index3 shape;
  vector3 spacing{1, 1, 1};
  image voxels;
  voxel::material_table materials{{}, {"first", 1.0, 0.3}, {"second", 10.0, 0.3}};
  std::uint8_t& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return voxels[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)];
  }
};

inline model solid(index3 shape, vector3 spacing = {1, 1, 1}) {
  return {shape, spacing, image(static_cast<std::size_t>(shape.volume()), 1)};
}

inline solve::elasticity_problem make_problem(const model& m, const support& supports, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<std::int64_t> per_plane(static_cast<std::size_t>(m.shape.z));
  const auto plane = static_cast<std::size_t>(m.shape.y * m.shape.x);
  for (std::size_t i = 0; i < m.voxels.size(); ++i) per_plane[i / plane] += m.voxels[i] != 0;
  solve::elasticity_problem p;
  p.where = grid::make_block(comm, m.shape, per_plane);
  p.spacing_mm = m.spacing;
  p.materials = &m.materials;
  const view3<const std::uint8_t> own(m.voxels.data() + p.where.owned.begin.z * static_cast<std::int64_t>(plane),
                                      p.where.owned.shape());
  p.cells = voxel::active_cells(own);
  p.nodes = voxel::corner_nodes(p.cells);
  p.material = voxel::gather(p.cells, own);
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      supports({p.where.owned.begin.z + r.z, r.y, r.x + i},
               [&](int direction, double value) { p.fixed.push_back({r.first + i, static_cast<axis>(direction), value}); });
  return p;
}

inline solve::elasticity_solution solved(const solve::elasticity_problem& p, double tolerance = 1e-10) {
  return solve::solve_elasticity(p, {tolerance, 500}, quiet());
}

}  // namespace osteon::elastic_model
