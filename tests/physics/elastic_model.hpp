#pragma once
/// @file
/// Small voxel models for the tests of elasticity.
#include <mpi.h>

#include <cmath>
#include <functional>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/voxel/components.hpp>
#include <vector>

namespace osteon::elastic_model {

using image = std::vector<material_number>;
using axis_value = std::function<void(int direction, double value_mm)>;
/// Prescribes displacements of the node with the global indices (z, y, x) by calling `fix`.
using support = std::function<void(index3 node, const axis_value& fix)>;

struct model {
  index3 shape;
  vector3 spacing{1, 1, 1};
  image voxels;
  voxel::material_table materials{{}, {"first", 1.0, 0.3}, {"second", 10.0, 0.3}};
  material_number& at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return voxels[static_cast<std::size_t>((z * shape.y + y) * shape.x + x)];
  }
};

inline model solid(index3 shape, vector3 spacing = {1, 1, 1}) {
  return {shape, spacing, image(static_cast<std::size_t>(shape.volume()), 1)};
}

inline numerics::elasticity_problem make_problem(const model& m, const support& supports, const grid::block& where) {
  numerics::elasticity_problem p;
  p.where = where;
  p.spacing_mm = m.spacing;
  p.materials = &m.materials;
  image part;
  const index3 low = where.owned.begin, high = where.owned.end;
  for (std::int64_t z = low.z; z < high.z; ++z)
    for (std::int64_t y = low.y; y < high.y; ++y) {
      const auto row = m.voxels.begin() + (z * m.shape.y + y) * m.shape.x;
      part.insert(part.end(), row + low.x, row + high.x);
    }
  const view3<const material_number> own(part.data(), where.owned.shape());
  p.cells = voxel::active_cells(own);
  p.nodes = voxel::corner_nodes(p.cells);
  p.material = voxel::gather(p.cells, own);
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      supports(low + index3{r.z, r.y, r.x + i},
               [&](int direction, double value) { p.fixed.push_back({r.first + i, static_cast<axis>(direction), value}); });
  return p;
}

inline numerics::elasticity_problem make_problem(const model& m, const support& supports, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<std::int64_t> per_plane(static_cast<std::size_t>(m.shape.z));
  const auto plane = static_cast<std::size_t>(m.shape.y * m.shape.x);
  for (std::size_t i = 0; i < m.voxels.size(); ++i) per_plane[i / plane] += m.voxels[i] != 0;
  return make_problem(m, supports, grid::make_block(comm, m.shape, per_plane));
}

inline physics::elasticity_solution solved(const numerics::elasticity_problem& p, double tolerance = 1e-10) {
  return physics::solve_elasticity(p, {tolerance, 500}, null_log());
}

/// A porous block. The block is the largest part of a gyroid that is connected by faces, so that no part rotates about an
/// edge.
inline model porous(std::int64_t n, double cell = 8) {
  model m = solid({n, n, n}, {0.9, 1.0, 1.2});
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t y = 0; y < n; ++y)
      for (std::int64_t x = 0; x < n; ++x) {
        const auto wave = [&](std::int64_t i, double shift) {
          return std::sin(2 * std::acos(-1.0) * (static_cast<double>(i) + shift) / cell);
        };
        const double gyroid =
            wave(z, 0.3) * wave(y, cell / 4) + wave(y, 0.3) * wave(x, cell / 4) + wave(x, 0.1) * wave(z, cell / 4);
        m.at(z, y, x) = std::abs(gyroid) < 0.55 ? 1 : 0;
      }
  const auto cells = voxel::active_cells({m.voxels.data(), m.shape});
  const auto parts = voxel::find_components(cells);
  for (std::size_t r = 0; r < cells.runs().size(); ++r)
    for (std::int64_t i = 0; i < cells.runs()[r].length && parts.part_of_run[r] != 0; ++i)
      m.at(cells.runs()[r].z, cells.runs()[r].y, cells.runs()[r].x + i) = 0;
  return m;
}

}  // namespace osteon::elastic_model
