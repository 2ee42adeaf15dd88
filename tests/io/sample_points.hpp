#pragma once
/// @file
/// Vectors over the nodes of the sample solid, whose values are functions of the position.
#include <cmath>
#include <osteon/grid/plane_points.hpp>
#include <osteon/io/files/checkpoint_file.hpp>

#include "io/sample.hpp"

namespace osteon::sample {

inline double value_at(std::int64_t z, std::int64_t y, std::int64_t x, int c) {
  return std::sin(static_cast<double>(z * 131 + y * 17 + x) + 0.1 * c);
}

/// Two vectors over the nodes of a rank: doubles by components, and floats by nodes.
struct points {
  grid::block where;
  voxel::run_set nodes;
  std::vector<double> doubles;
  std::vector<float> floats;

  explicit points(const grid::block& w, bool filled = true) : where(w) {
    const auto own = materials(where.owned);
    const auto cells = voxel::active_cells({own.data(), where.owned.shape()});
    nodes = voxel::corner_nodes(cells);
    const auto n = static_cast<std::size_t>(nodes.size());
    doubles.assign(3 * n, 0.0);
    floats.assign(n, 0.0F);
    if (!filled) return;
    for (const voxel::run& r : nodes.runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        const index3 at = where.owned.begin + index3{r.z, r.y, r.x + i};
        for (int c = 0; c < 3; ++c)
          doubles[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(r.first + i)] = value_at(at.z, at.y, at.x, c);
        floats[static_cast<std::size_t>(r.first + i)] = static_cast<float>(value_at(at.z, at.y, at.x, 7));
      }
  }
  grid::plane_points planes() const { return {where, nodes, true}; }
  std::vector<grid::point_vector> vectors() {
    return {{"doubles", std::span(doubles), {3, nodes.size(), 1}}, {"floats", std::span(floats), {1, 0, 1}}};
  }
};

}  // namespace osteon::sample
