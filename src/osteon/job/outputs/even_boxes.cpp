#include <osteon/job/outputs/even_boxes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon::job {

namespace {

// Divide boxes across their longest axis until each rank has a box with at least one voxel.
void cut_evenly(const box3& part, int ranks, std::vector<grid::box_tree::cut>& cuts) {
  if (ranks == 1) return;
  const index3 shape = part.shape();
  const int along = shape.z >= shape.y && shape.z >= shape.x ? 0 : shape.y >= shape.x ? 1 : 2;
  const std::int64_t extent = shape[along], area = shape.volume() / extent;
  const std::int64_t planes = std::clamp<std::int64_t>(extent * (ranks / 2) / ranks, 1, extent - 1);
  const auto ranks_low = static_cast<int>(
      std::clamp<std::int64_t>(ranks * planes / extent, std::max<std::int64_t>(1, ranks - (extent - planes) * area),
                               std::min<std::int64_t>(ranks - 1, planes * area)));
  box3 low = part, high = part;
  low.end[along] = high.begin[along] = part.begin[along] + planes;
  cuts.push_back({low.end[along], ranks_low, along});
  cut_evenly(low, ranks_low, cuts);
  cut_evenly(high, ranks - ranks_low, cuts);
}

}  // namespace

grid::box_tree even_boxes(index3 shape, int ranks) {
  if (ranks <= shape.z) {
    std::vector<std::int64_t> first;
    for (int r = 0; r <= ranks; ++r) first.push_back(shape.z * r / ranks);
    return grid::box_tree::of_planes(shape, first);
  }
  if (ranks > shape.volume())
    throw usage_error(
        fmt::format("the number of ranks, {}, exceeds the {} voxels of the file; use fewer ranks", ranks, shape.volume()));
  std::vector<grid::box_tree::cut> cuts;
  cut_evenly({{}, shape}, ranks, cuts);
  return {shape, std::move(cuts)};
}

}  // namespace osteon::job
