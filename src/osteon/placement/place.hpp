#pragma once
/// @file
/// Subdomains onto cores.
#include <cstdint>
#include <optional>
#include <osteon/placement/assess.hpp>
#include <osteon/placement/graph.hpp>
#include <osteon/placement/target.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::placement {

enum class method : std::uint8_t {
  best,    ///< groups, groups onto hosts, cores inside hosts: all by search, with the measured or modelled machine
  paper,   ///< AFC: groups by partitioning, group g on host g, cores by the tree
  groups,  ///< AFC-NB: the same, cores in order
  input,   ///< subdomain r at place r
  random,
};
/// @throws usage_error if there is no method of this name: best, paper, groups, input, random
method parse_method(std::string_view name);
std::string_view name_of(method m);

struct options {
  method how = method::best;
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};  ///< the grid of the graph, if it has one
  double effort = 1;                ///< length of the searches, 1 is usual
  double least_gain = 0;            ///< share of the score below which the input order is kept
  bool use_scotch = true;           ///< where it is installed
};

/// A place for each subdomain, and why.
struct placement {
  std::vector<int> place;        ///< of each subdomain: index into target::places
  std::vector<std::string> how;  ///< "groups from bricks 1x2x4", ...
  assessment input, result;
  double random_off_host_bytes = 0;  ///< mean of random placements
  double random_predicted_s = 0;
  bool kept_input = false;
  double seconds = 0;  ///< that it took

  /// Share of the input order's score that is saved.
  double gain() const { return input.score() > 0 ? 1 - result.score() / input.score() : 0; }
};

/// Place each vertex of the graph on one of the target's places.
///
/// By method::best the result is never worse than the input order by `assessment::score`. It is the same for any number
/// of threads, and depends on the seed only.
/// @throws usage_error if there are fewer places than vertices, or the grid is not the graph's
/// @cite [Ito]: AFC and AFC-NB
placement place(const graph& g, const target& where, const options& options = {});

}  // namespace osteon::placement
