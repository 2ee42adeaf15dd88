#include <fmt/format.h>

#include <algorithm>
#include <app/figures/plan_map.hpp>
#include <cmath>

namespace osteon::app {

namespace {

constexpr int most_squares = 64;

// Bytes by sender and receiver, shape (squares, squares), of all rounds.
std::vector<std::int64_t> bytes_by_pair(const plan::plan& plan, int squares) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(squares * squares));
  const auto square_of = [&](int rank) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(rank) * squares / plan.ranks);
  };
  for (int rank = 0; rank < plan.ranks; ++rank)
    for (std::int64_t round = 0; round < plan.rounds; ++round)
      for (const plan::message& m : plan.of(rank, round).sends)
        bytes[square_of(rank) * static_cast<std::size_t>(squares) + square_of(m.peer)] += plan.bytes(m);
  return bytes;
}

}  // namespace

void draw_plan_map(svg_picture& out, point corner, double side, const plan::plan& plan) {
  const int squares = std::min(plan.ranks, most_squares);
  const auto bytes = bytes_by_pair(plan, squares);
  const std::int64_t most = std::max<std::int64_t>(1, *std::max_element(bytes.begin(), bytes.end()));
  const double square = side / squares;
  for (int from = 0; from < squares; ++from)
    for (int to = 0; to < squares; ++to) {
      const std::int64_t n = bytes[static_cast<std::size_t>(from * squares + to)];
      if (n == 0) continue;
      const double lightness = 85 - 60 * std::sqrt(static_cast<double>(n) / static_cast<double>(most));
      out.rectangle({corner.x + to * square, corner.y + from * square}, square, square,
                    fmt::format("hsl(215 60% {:.0f}%)", lightness));
    }
  out.rectangle(corner, side, side, "none", {"#bbb"});
}

}  // namespace osteon::app
