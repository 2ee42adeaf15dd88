#include <osteon/kernel/rays/occupied_cells.hpp>

#include <algorithm>
#include <limits>

namespace osteon::kernel {

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

struct extremes {
  std::vector<float> least, most;
  explicit extremes(std::int64_t n)
      : least(static_cast<std::size_t>(n), infinite), most(static_cast<std::size_t>(n), -infinite) {}
  // Comparisons with NaN are false; NaN is therefore ignored.
  void add(std::int64_t to, const float* low, const float* high, std::int64_t count) {
    float *l = least.data() + to, *h = most.data() + to;
    for (std::int64_t i = 0; i < count; ++i) {
      l[i] = low[i] < l[i] ? low[i] : l[i];
      h[i] = high[i] > h[i] ? high[i] : h[i];
    }
  }
};

}  // namespace

value_bounds value_bounds::of(const float* values, const box3& owned, const box3& present, int margin) {
  value_bounds result;
  result.first = owned.begin;
  for (int axis = 0; axis < 3; ++axis) result.cells[axis] = (owned.shape()[axis] + edge - 1) / edge;
  const index3 cells = result.cells, shape = present.shape();
  result.range.resize(static_cast<std::size_t>(cells.volume()));
  // First and last voxel around a macro cell, relative to the first present voxel.
  const auto begin = [&](std::int64_t cell, int axis) {
    return std::max<std::int64_t>(0, owned.begin[axis] + cell * edge - margin - present.begin[axis]);
  };
  const auto end = [&](std::int64_t cell, int axis) {
    return std::min(shape[axis], owned.begin[axis] + (cell + 1) * edge + margin - present.begin[axis]);
  };
  // Reduce axis by axis. Whole rows are reduced along z and y, then the few remaining values along x.
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t cz = 0; cz < cells.z; ++cz) {
    extremes plane(shape.y * shape.x), row(shape.x);
    for (std::int64_t z = begin(cz, 0); z < end(cz, 0); ++z) {
      const float* v = values + z * shape.y * shape.x;
      plane.add(0, v, v, shape.y * shape.x);
    }
    for (std::int64_t cy = 0; cy < cells.y; ++cy) {
      std::fill(row.least.begin(), row.least.end(), infinite);
      std::fill(row.most.begin(), row.most.end(), -infinite);
      for (std::int64_t y = begin(cy, 1); y < end(cy, 1); ++y)
        row.add(0, plane.least.data() + y * shape.x, plane.most.data() + y * shape.x, shape.x);
      for (std::int64_t cx = 0; cx < cells.x; ++cx) {
        auto& [low, high] = result.range[static_cast<std::size_t>((cz * cells.y + cy) * cells.x + cx)];
        const auto from = begin(cx, 2), to = end(cx, 2);
        low = *std::min_element(row.least.begin() + from, row.least.begin() + to);
        high = *std::max_element(row.most.begin() + from, row.most.begin() + to);
      }
    }
  }
  return result;
}

std::vector<std::uint8_t> distance_to_occupied(index3 cells, const std::vector<std::uint8_t>& occupied) {
  std::vector<std::uint8_t> distance(occupied.size());
  for (std::size_t i = 0; i < occupied.size(); ++i) distance[i] = occupied[i] ? 0 : 255;
  // Two sweeps yield this distance exactly. One sweep uses the 13 preceding neighbours of a cell, the other uses the 13
  // following neighbours.
  // @cite [RosenfeldPfaltz1968]
  const auto sweep = [&](bool forward) {
    const std::int64_t count = cells.volume(), sign = forward ? 1 : -1;
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t i = forward ? n : count - 1 - n;
      const std::int64_t x = i % cells.x, y = i / cells.x % cells.y, z = i / cells.x / cells.y;
      int least = distance[static_cast<std::size_t>(i)];
      for (int k = 0; k < 13 && least > 0; ++k) {
        const std::int64_t az = z + sign * (k / 9 - 1), ay = y + sign * (k / 3 % 3 - 1), ax = x + sign * (k % 3 - 1);
        if (az < 0 || az >= cells.z || ay < 0 || ay >= cells.y || ax < 0 || ax >= cells.x) continue;
        least = std::min(least, distance[static_cast<std::size_t>((az * cells.y + ay) * cells.x + ax)] + 1);
      }
      distance[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(least);
    }
  };
  sweep(true);
  sweep(false);
  return distance;
}

}  // namespace osteon::kernel
