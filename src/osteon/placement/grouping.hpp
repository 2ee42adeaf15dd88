#pragma once
/// @file
/// Groups of vertices, one for each host (or socket, or L3), so that few bytes go between groups.
#include <cstdint>
#include <optional>
#include <osteon/placement/graph.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::placement {

struct grouping_options {
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};      ///< the grid of the graph, if it has one: bricks are tried
  std::int64_t proposals = 40'000'000;  ///< of all searches together, at most
  bool use_scotch = true;               ///< where it is installed
};

struct grouping {
  std::vector<int> part;   ///< of each vertex
  std::int64_t cut = 0;    ///< weights between parts
  std::string begun_from;  ///< "bricks 1x2x4", "bisection", "Scotch" or "input order"
};

/// Split the vertices into parts of at most so many with as little weight between parts as can be found.
///
/// A portfolio: consecutive vertices (the input order), bricks, recursive bisections, Scotch where it is installed; the
/// best of them are improved by exchanges of vertices. Free places take part as vertices without edges. The result is
/// never worse than the input order, is the same for any number of threads, and depends on the seed only.
/// @param capacity vertices that each part may hold
/// @throws usage_error if there are fewer places than vertices, or a capacity is negative
grouping group(const graph& g, std::span<const int> capacity, const grouping_options& options = {});

/// Vertices assigned in their order: each part is filled before the next.
std::vector<int> in_order(int vertices, std::span<const int> capacity);

}  // namespace osteon::placement
