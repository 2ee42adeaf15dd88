#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/render/rays/solid_light.hpp>

namespace osteon::render {

index3 light_cell(index3 domain, const vector3& spacing_mm) {
  // The search begins with the ideal cube. The edge of the cube is increased until the number of cells is at most the limit.
  double edge = std::cbrt(static_cast<double>(domain.volume()) * spacing_mm.z * spacing_mm.y * spacing_mm.x /
                          static_cast<double>(most_light_cells));
  for (;; edge *= 1.02) {
    index3 voxels;
    std::int64_t cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
      voxels[axis] = std::max<std::int64_t>(1, std::llround(edge / spacing_mm[axis]));
      cells *= (domain[axis] + voxels[axis] - 1) / voxels[axis];
    }
    if (cells <= most_light_cells) return voxels;
  }
}

kernel::solid_pyramid gather_solid(const grid::block& where, const vector3& spacing_mm,
                                   const grid::ghosted_field<float>& field, double level) {
  const index3 edge = light_cell(where.domain, spacing_mm);
  index3 cells;
  for (int axis = 0; axis < 3; ++axis) cells[axis] = (where.domain[axis] + edge[axis] - 1) / edge[axis];
  std::vector<std::uint32_t> count;
  comm::collectively(where.comm, [&] {
    count.resize(static_cast<std::size_t>(cells.volume()));
    const index3 shape = field.present.shape();
    const auto least = static_cast<float>(level);
    for (std::int64_t z = where.owned.begin.z; z < where.owned.end.z; ++z)
      for (std::int64_t y = where.owned.begin.y; y < where.owned.end.y; ++y) {
        const float* const row =
            field.values.data() + ((z - field.present.begin.z) * shape.y + y - field.present.begin.y) * shape.x;
        std::uint32_t* const to = count.data() + (z / edge.z * cells.y + y / edge.y) * cells.x;
        for (std::int64_t x = where.owned.begin.x; x < where.owned.end.x; ++x)
          if (row[x - field.present.begin.x] >= least) ++to[x / edge.x];
      }
  });
  comm::all_reduce(where.comm, count.data(), count.size(), MPI_SUM);
  kernel::solid_pyramid result;
  comm::collectively(where.comm, [&] {
    const auto full = static_cast<std::uint64_t>(edge.volume());
    std::vector<std::uint8_t> share(count.size());
    for (std::size_t i = 0; i < share.size(); ++i)
      share[i] = static_cast<std::uint8_t>((255 * std::uint64_t{count[i]} + full / 2) / full);
    vector3 cell_mm;
    for (int axis = 0; axis < 3; ++axis) cell_mm[axis] = static_cast<double>(edge[axis]) * spacing_mm[axis];
    result = kernel::solid_pyramid(cells, cell_mm, share);
  });
  return result;
}

}  // namespace osteon::render
