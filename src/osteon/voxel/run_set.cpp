#include <osteon/voxel/run_set.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>

namespace osteon::voxel {

run_set::run_set(index3 shape, std::vector<run> runs, numbering numbers) : shape_(shape) {
  if (runs.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw data_error(
        fmt::format("the solid ({} x {} x {} points) has {} runs along x, more than 2^31 - 1; the image is probably "
                    "noise: smooth or crop the image",
                    shape.z, shape.y, shape.x, runs.size()));
  lists made{std::move(runs), {}};
  made.row_begin.assign(static_cast<std::size_t>(shape.z * shape.y + 1), 0);
  std::int64_t count = 0;
  for (run& r : made.runs) {
    r.first = numbers == numbering::points ? static_cast<std::int32_t>(count) : 0;
    count += r.length;
    if (numbers == numbering::points && count > std::numeric_limits<std::int32_t>::max())
      throw data_error(
          fmt::format("block of {} x {} x {} points: the number of active points exceeds {}, the maximum of one "
                      "rank; use more ranks (osteon run -n), or crop the image",
                      shape.z, shape.y, shape.x, std::numeric_limits<std::int32_t>::max()));
    ++made.row_begin[static_cast<std::size_t>(r.z * shape.y + r.y + 1)];
  }
  for (std::size_t i = 1; i < made.row_begin.size(); ++i) made.row_begin[i] += made.row_begin[i - 1];
  lists_ = std::make_shared<const lists>(std::move(made));
  size_ = numbers == numbering::points ? static_cast<std::int32_t>(count) : 0;
}

std::int32_t run_set::find(std::int64_t z, std::int64_t y, std::int64_t x) const {
  if (z < 0 || y < 0 || z >= shape_.z || y >= shape_.y) return -1;
  const auto candidates = row(z, y);
  const auto after = std::upper_bound(candidates.begin(), candidates.end(), x,
                                      [](std::int64_t value, const run& r) { return value < r.x; });
  if (after == candidates.begin()) return -1;
  const run& r = *(after - 1);
  return x < r.x + r.length ? r.first + static_cast<std::int32_t>(x - r.x) : -1;
}

std::int32_t run_set::plane_begin(std::int64_t z) const {
  const auto r = static_cast<std::size_t>(lists_->row_begin[static_cast<std::size_t>(z * shape_.y)]);
  return r < runs().size() ? runs()[r].first : size_;
}

void append_runs(std::vector<run>& runs, view3<const material_number> planes, std::int64_t z) {
  for (std::int64_t k = 0; k < planes.extent(0); ++k)
    for (std::int64_t y = 0; y < planes.extent(1); ++y)
      for (std::int64_t x = 0; x < planes.extent(2);) {
        if (planes(k, y, x) == 0) {
          ++x;
          continue;
        }
        const std::int64_t begin = x;
        while (x < planes.extent(2) && planes(k, y, x) != 0) ++x;
        runs.push_back({static_cast<std::int32_t>(z + k), static_cast<std::int32_t>(y), static_cast<std::int32_t>(begin),
                        static_cast<std::int32_t>(x - begin), 0});
      }
}

run_set active_cells(view3<const material_number> image, numbering numbers) {
  std::vector<run> runs;
  append_runs(runs, image, 0);
  return {image.shape(), std::move(runs), numbers};
}

run_set corner_nodes(const run_set& cells) {
  const index3 shape = cells.shape() + index3{1, 1, 1};
  std::vector<run> runs, row;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      row.clear();
      for (std::int64_t dz = -1; dz <= 0; ++dz)
        for (std::int64_t dy = -1; dy <= 0; ++dy) {
          if (z + dz < 0 || z + dz >= cells.shape().z || y + dy < 0 || y + dy >= cells.shape().y) continue;
          const auto r = cells.row(z + dz, y + dy);
          row.insert(row.end(), r.begin(), r.end());
        }
      std::sort(row.begin(), row.end(), [](const run& a, const run& b) { return a.x < b.x; });
      // A run of n cells has n + 1 nodes along x. Runs with overlapping or adjacent nodes are merged.
      for (const run& r : row) {
        const std::int32_t end = r.x + r.length + 1;
        const bool joins =
            !runs.empty() && runs.back().z == z && runs.back().y == y && r.x <= runs.back().x + runs.back().length;
        if (joins)
          runs.back().length = std::max(runs.back().length, end - runs.back().x);
        else
          runs.push_back({static_cast<std::int32_t>(z), static_cast<std::int32_t>(y), r.x, r.length + 1, 0});
      }
    }
  return {shape, std::move(runs)};
}

std::vector<material_number> gather(const run_set& cells, view3<const material_number> image) {
  std::vector<material_number> values(static_cast<std::size_t>(cells.size()));
  for (const run& r : cells.runs()) std::copy_n(&image(r.z, r.y, r.x), r.length, values.begin() + r.first);
  return values;
}

}  // namespace osteon::voxel
