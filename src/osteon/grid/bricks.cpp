#include <osteon/grid/bricks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/reductions.hpp>
#include <tuple>

namespace osteon::grid {

namespace {

constexpr double imbalance_for_surface = 0.03;  // total imbalance over all levels that is accepted for smaller surfaces
constexpr std::int64_t values_per_reduction = 1 << 22;  // with this value, the counts need at most 32 MiB of memory

// A cut and its penalties.
struct candidate {
  box_tree::cut cut;
  std::int64_t idle_ranks;  // number of ranks that cannot have an active voxel
  double load;              // number of active voxels of a rank on the side with more voxels per rank
  std::int64_t surface;     // number of active voxels in the plane next to the cut that has fewer active voxels
  double voxels;            // number of voxels of a rank on the larger side
};

candidate rated(const box_tree::cut& cut, int ranks, const std::int64_t (&active)[2], const std::int64_t (&voxels)[2],
                std::int64_t surface) {
  const std::int64_t low = cut.ranks_low, high = ranks - low;
  const auto share = [&](const std::int64_t (&of)[2]) {
    return std::max(static_cast<double>(of[0]) / static_cast<double>(low),
                    static_cast<double>(of[1]) / static_cast<double>(high));
  };
  const auto none = std::int64_t{0};
  return {cut, std::max(none, low - active[0]) + std::max(none, high - active[1]), share(active), surface, share(voxels)};
}

// A box that has not been divided. `place` is the index of its cut.
struct open_box {
  box3 box;
  int ranks;
  std::size_t place;
};

std::int64_t counts_of(const box3& box) { return box.shape().z + box.shape().y + box.shape().x; }

// Count the active voxels in the intersection of `box` and `part`, for each plane of the box across z, y and x.
void count(const box3& box, const box3& part, view3<const material_number> voxels, std::int64_t* counts) {
  const box3 common = overlap(box, part);
  if (common.empty()) return;
  std::int64_t *along_z = counts, *along_y = along_z + box.shape().z, *along_x = along_y + box.shape().y;
  for (std::int64_t z = common.begin.z; z < common.end.z; ++z)
    for (std::int64_t y = common.begin.y; y < common.end.y; ++y) {
      const material_number* row = &voxels(z - part.begin.z, y - part.begin.y, common.begin.x - part.begin.x);
      std::int64_t sum = 0;
      for (std::int64_t x = 0; x < common.shape().x; ++x) {
        const std::int64_t one = row[x] != 0;
        along_x[common.begin.x - box.begin.x + x] += one;
        sum += one;
      }
      along_z[z - box.begin.z] += sum;
      along_y[y - box.begin.y] += sum;
    }
}

}  // namespace

std::string too_many_ranks(std::int64_t ranks, index3 domain) {
  return fmt::format("{} for an image of {} x {} x {} voxels: each rank needs at least one voxel; use at most {}",
                     counted(ranks, "rank"), domain.z, domain.y, domain.x, counted(domain.volume(), "rank"));
}

box_tree::cut choose_cut(const box3& box, std::span<const std::int64_t> const (&active)[3], int ranks, double slack) {
  std::vector<candidate> all;
  for (int along = 0; along < 3; ++along) {
    const std::span<const std::int64_t> planes = active[along];
    std::int64_t total = 0;
    for (const std::int64_t count : planes) total += count;
    const std::int64_t length = box.shape()[along], area = box.volume() / length;
    std::int64_t low = 0;
    for (std::int64_t p = 1; p < length; ++p) {
      const auto at = static_cast<std::size_t>(p);
      low += planes[at - 1];
      const std::int64_t voxels[2] = {p * area, (length - p) * area}, share[2] = {low, total - low};
      const auto add = [&](std::int64_t ranks_low) {
        ranks_low = std::clamp(ranks_low, std::max<std::int64_t>(1, ranks - voxels[1]),
                               std::min<std::int64_t>(ranks - 1, voxels[0]));
        all.push_back(rated({box.begin[along] + p, static_cast<std::int32_t>(ranks_low), along}, ranks, share, voxels,
                            std::min(planes[at - 1], planes[at])));
      };
      add(ranks / 2);
      if (ranks % 2 == 1) add(ranks - ranks / 2);
      // If a side has fewer active voxels than ranks, the ranks are divided in proportion to the active voxels.
      if (all.back().idle_ranks > 0 && total > 0)
        add(static_cast<std::int64_t>(static_cast<double>(ranks) * static_cast<double>(low) / static_cast<double>(total) +
                                      0.5));
    }
  }
  const auto best = std::min_element(all.begin(), all.end(), [](const candidate& a, const candidate& b) {
    return std::tie(a.idle_ranks, a.load) < std::tie(b.idle_ranks, b.load);
  });
  const std::int64_t idle_ranks = best->idle_ranks;
  const double most = best->load * (1 + slack);
  const auto rating = [&](const candidate& c) {
    return std::tuple(c.idle_ranks > idle_ranks || c.load > most, c.surface, c.voxels, c.load, -box.shape()[c.cut.along]);
  };
  return std::min_element(all.begin(), all.end(),
                          [&](const candidate& a, const candidate& b) { return rating(a) < rating(b); })
      ->cut;
}

box_tree balance_bricks(MPI_Comm comm, index3 domain, const box3& part, view3<const material_number> voxels, int ranks) {
  if (ranks > domain.volume()) throw usage_error(too_many_ranks(ranks, domain));
  std::vector<box_tree::cut> cuts(static_cast<std::size_t>(ranks - 1));
  const double slack =
      imbalance_for_surface / std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))));
  std::vector<open_box> level, next;
  if (ranks > 1) level.push_back({{{}, domain}, ranks, 0});
  std::vector<std::int64_t> counts;
  while (!level.empty()) {
    next.clear();
    for (std::size_t begin = 0, end = 0; begin < level.size(); begin = end) {
      std::int64_t size = 0;
      do size += counts_of(level[end++].box);
      while (end < level.size() && size + counts_of(level[end].box) <= values_per_reduction);
      counts.assign(static_cast<std::size_t>(size), 0);
      std::int64_t* at = counts.data();
      for (std::size_t i = begin; i < end; at += counts_of(level[i++].box)) count(level[i].box, part, voxels, at);
      comm::all_reduce(comm, counts.data(), size, MPI_SUM);
      at = counts.data();
      for (std::size_t i = begin; i < end; ++i) {
        const open_box& b = level[i];
        std::span<const std::int64_t> planes[3];
        for (int along = 0; along < 3; at += b.box.shape()[along++])
          planes[along] = {at, static_cast<std::size_t>(b.box.shape()[along])};
        const box_tree::cut cut = cuts[b.place] = choose_cut(b.box, planes, b.ranks, slack);
        box3 low = b.box, high = b.box;
        low.end[cut.along] = high.begin[cut.along] = cut.position;
        const auto on_low = static_cast<std::size_t>(cut.ranks_low);
        if (cut.ranks_low > 1) next.push_back({low, cut.ranks_low, b.place + 1});
        if (b.ranks - cut.ranks_low > 1) next.push_back({high, b.ranks - cut.ranks_low, b.place + on_low});
      }
    }
    std::swap(level, next);
  }
  return {domain, std::move(cuts)};
}

}  // namespace osteon::grid
