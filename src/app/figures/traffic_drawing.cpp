#include <fmt/format.h>

#include <algorithm>
#include <app/figures/svg.hpp>
#include <app/figures/traffic_drawing.hpp>
#include <cmath>

namespace osteon::app {

namespace {

constexpr double map_side = 192, map_gap = 28, map_left = 24, map_caption = 34, part_caption = 30;
constexpr int most_squares = 64, maps_in_a_row = 4;

// Bytes by sender and receiver, shape (squares, squares), of all rounds.
std::vector<std::int64_t> bytes_by_pair(const plan::plan& what, int squares) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(squares * squares));
  const auto square_of = [&](int rank) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(rank) * squares / what.ranks);
  };
  for (int rank = 0; rank < what.ranks; ++rank)
    for (std::int64_t round = 0; round < what.rounds; ++round)
      for (const plan::message& m : what.of(rank, round).sends)
        bytes[square_of(rank) * static_cast<std::size_t>(squares) + square_of(m.peer)] += what.bytes(m);
  return bytes;
}

void draw_map(svg_picture& out, point corner, const comm::plan_traffic& plan) {
  const int squares = std::min(plan.what.ranks, most_squares);
  const auto bytes = bytes_by_pair(plan.what, squares);
  const std::int64_t most = std::max<std::int64_t>(1, *std::max_element(bytes.begin(), bytes.end()));
  const double side = map_side / squares;
  out.text({corner.x, corner.y + 12}, plan.plan, {11});
  out.text({corner.x, corner.y + 26},
           fmt::format("{} messages, {:.1f} KiB", plan.messages, static_cast<double>(plan.bytes) / 1024), {10, "#777"});
  const double top = corner.y + map_caption;
  for (int from = 0; from < squares; ++from)
    for (int to = 0; to < squares; ++to) {
      const std::int64_t n = bytes[static_cast<std::size_t>(from * squares + to)];
      if (n == 0) continue;
      const double lightness = 85 - 60 * std::sqrt(static_cast<double>(n) / static_cast<double>(most));
      out.rectangle({corner.x + to * side, top + from * side}, side, side, fmt::format("hsl(215 60% {:.0f}%)", lightness));
    }
  out.rectangle({corner.x, top}, map_side, map_side, "none", {"#bbb"});
}

}  // namespace

std::string draw_traffic(const job::job_plans& plans) {
  svg_picture out;
  out.text({map_left, 24},
           fmt::format("{}: what {} ranks send in {} (rows send, columns receive)", plans.job, plans.ranks,
                       plans.bricks ? "bricks" : "planes"),
           {14});
  double y = 40;
  for (const job::job_part& part : plans.parts) {
    if (part.plans.empty()) continue;
    out.text({map_left, y + 20}, fmt::format("{}, {}", part.name, part.how_often), {13});
    y += part_caption;
    for (std::size_t i = 0; i < part.plans.size(); ++i) {
      const auto column = i % maps_in_a_row;
      if (i > 0 && column == 0) y += map_caption + map_side + map_gap;
      draw_map(out, {map_left + static_cast<double>(column) * (map_side + map_gap), y}, part.plans[i]);
    }
    y += map_caption + map_side + map_gap;
  }
  return out.file(map_left + maps_in_a_row * (map_side + map_gap), y, true);
}

}  // namespace osteon::app
