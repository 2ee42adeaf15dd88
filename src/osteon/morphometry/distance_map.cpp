#include <osteon/morphometry/distance_map.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/redistribute.hpp>

namespace osteon::morphometry {

namespace {

// Lower envelope of the parabolas weight (i - k)^2 + height(k) of a line. The envelope is evaluated at integers.
class envelope {
 public:
  explicit envelope(std::int64_t length)
      : height_(static_cast<std::size_t>(length)),
        vertex_(static_cast<std::size_t>(length)),
        from_(static_cast<std::size_t>(length) + 1) {}

  void take(float* line, std::int64_t length, std::int64_t stride, double weight) {
    int count = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      const auto i = static_cast<std::size_t>(k);
      height_[i] = static_cast<double>(line[k * stride]);
      if (height_[i] >= static_cast<double>(beyond)) continue;
      double meets = -std::numeric_limits<double>::infinity();
      while (count > 0) {
        const std::int64_t v = vertex_[static_cast<std::size_t>(count - 1)];
        const auto at = static_cast<double>(v), here = static_cast<double>(k);
        meets = ((height_[i] + weight * here * here) - (height_[static_cast<std::size_t>(v)] + weight * at * at)) /
                (2 * weight * (here - at));
        if (meets > from_[static_cast<std::size_t>(count - 1)]) break;
        meets = -std::numeric_limits<double>::infinity();
        --count;
      }
      vertex_[static_cast<std::size_t>(count)] = k;
      from_[static_cast<std::size_t>(count)] = meets;
      ++count;
    }
    if (count == 0) return;
    from_[static_cast<std::size_t>(count)] = std::numeric_limits<double>::infinity();
    std::size_t now = 0;
    for (std::int64_t k = 0; k < length; ++k) {
      while (from_[now + 1] < static_cast<double>(k)) ++now;
      const auto d = static_cast<double>(k - vertex_[now]);
      line[k * stride] = static_cast<float>(weight * d * d + height_[static_cast<std::size_t>(vertex_[now])]);
    }
  }

 private:
  std::vector<double> height_;
  std::vector<std::int64_t> vertex_;
  std::vector<double> from_;  // position from which on each parabola is the lowest parabola
};

// The lower envelopes replace all lines of a box along one axis. The box must contain complete lines.
void transform_lines(std::vector<float>& values, index3 shape, int along, double weight) {
  const index3 stride{shape.y * shape.x, shape.x, 1};
  const int a = along == 0 ? 1 : 0, b = along == 2 ? 1 : 2;
#pragma omp parallel
  {
    envelope lowest(shape[along]);
#pragma omp for
    for (std::int64_t line = 0; line < shape[a] * shape[b]; ++line)
      lowest.take(values.data() + line / shape[b] * stride[a] + line % shape[b] * stride[b], shape[along], stride[along],
                  weight);
  }
}

}  // namespace

std::vector<float> distance_map(const grid::block& where, const std::vector<float>& phase, const vector3& spacing) {
  const int ranks = comm::size(where.comm), rank = comm::rank(where.comm);
  std::vector<float> values;
  std::vector<grid::box_tree> lines;
  comm::collectively(where.comm, [&] {
    for (const int along : {2, 1, 0}) lines.push_back(pencils(where.domain, along, ranks));
    values.resize(phase.size());
    std::transform(phase.begin(), phase.end(), values.begin(), [](float v) { return v == 0 ? 0.0F : beyond; });
  });
  const grid::box_tree* have = where.boxes.get();
  for (std::size_t n = 0; n < 3; ++n) {
    const int along = 2 - static_cast<int>(n);
    values = grid::redistribute<float>(where.comm, *have, lines[n], values);
    have = &lines[n];
    const double weight = spacing[along] / spacing.x;
    comm::collectively(where.comm, [&] { transform_lines(values, have->box_of(rank).shape(), along, weight * weight); });
  }
  return grid::redistribute<float>(where.comm, *have, *where.boxes, values);
}

namespace {

// Divide a box among ranks. In the list, a cut precedes the cuts of its sides.
void cut(const box3& box, int along, int ranks, std::vector<grid::box_tree::cut>& cuts) {
  if (ranks == 1) return;
  const int a = (along + 1) % 3, b = (along + 2) % 3;
  const index3 shape = box.shape();
  const int across = shape[a] >= shape[b] ? a : b, other = across == a ? b : a;
  // Each side must have at least as many lines as ranks.
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
    throw usage_error(fmt::format(
        "{} ranks for an image of {} x {} x {} voxels (z, y, x) with {} lines along {}: use at most one rank per line",
        ranks, domain.z, domain.y, domain.x, lines, "zyx"[along]));
  std::vector<grid::box_tree::cut> cuts;
  cut({{}, domain}, along, ranks, cuts);
  return {domain, std::move(cuts)};
}

}  // namespace osteon::morphometry
