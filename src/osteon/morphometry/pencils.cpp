#include <osteon/morphometry/pencils.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>

namespace osteon::morphometry {

namespace {

// A box for so many ranks, whose cuts are put down before those of its sides.
void cut(const box3& box, int along, int ranks, std::vector<grid::box_tree::cut>& cuts) {
  if (ranks == 1) return;
  const int a = (along + 1) % 3, b = (along + 2) % 3;
  const index3 shape = box.shape();
  const int across = shape[a] >= shape[b] ? a : b, other = across == a ? b : a;
  // Neither side has fewer lines than ranks.
  const std::int64_t rows = shape[across], lines = shape[other], position = rows / 2;
  const auto low_ranks = static_cast<int>(
      std::clamp<std::int64_t>(ranks * position / rows, std::max<std::int64_t>(1, ranks - (rows - position) * lines),
                               std::min<std::int64_t>(ranks - 1, position * lines)));
  cuts.push_back({box.begin[across] + position, low_ranks, across});
  box3 low = box, high = box;
  low.end[across] = high.begin[across] = box.begin[across] + position;
  cut(low, along, low_ranks, cuts);
  cut(high, along, ranks - low_ranks, cuts);
}

}  // namespace

grid::box_tree pencils(index3 domain, int along, int ranks) {
  const std::int64_t lines = domain.volume() / domain[along];
  if (ranks > lines)
    throw usage_error(
        fmt::format("{} ranks for an image of {} x {} x {} voxels (z, y, x), which has {} lines along {}: start "
                    "at most as many",
                    ranks, domain.z, domain.y, domain.x, lines, "zyx"[along]));
  std::vector<grid::box_tree::cut> cuts;
  cut({{}, domain}, along, ranks, cuts);
  return {domain, std::move(cuts)};
}

}  // namespace osteon::morphometry
