#pragma once
/// @file
/// Mapping of subdomains to cores; cost of a placement by the model used for the selection, and the measured time.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <osteon/placement/hosts/target.hpp>
#include <osteon/placement/mapping/mapping.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::placement {

/// One exchange: every subdomain sends to each neighbour and receives from it.
struct assessment {
  std::int64_t off_host_bytes = 0;              ///< both directions
  std::array<std::int64_t, 4> bytes_by_path{};  ///< both directions; indexed by machine::path
  network_load network;
  std::string hottest_link;                    ///< empty without messages between hosts
  double slowest_rank_s = 0, mean_rank_s = 0;  ///< of a rank that sends its messages one after another
  /// The exchange's time: that of the hottest link or of the slowest rank, whichever is longer.
  double predicted_s() const { return std::max(network.hottest_time, slowest_rank_s); }
  /// Value for the comparison of placements; means decide between equal maxima.
  double score() const { return predicted_s() + 0.1 * (network.mean_time + mean_rank_s); }
};

/// @param place of each vertex: index into where.places
assessment assess(const graph& g, std::span<const int> place, const target& where);

/// Seconds per byte between cores of a host, with latencies distributed over messages of this size.
core_costs costs_between_cores(const target& where, int host, std::span<const int> cores, double message_bytes);

/// Weight of a mean edge, in bytes; 1 if there is none.
double mean_message(const graph& g);

enum class method : std::uint8_t {
  best,    ///< groups, hosts of groups and cores inside hosts: all by search on the measured or modelled machine
  paper,   ///< AFC: groups by partitioning, group g on host g, cores by the tree
  groups,  ///< AFC-NB: the same, cores in order
  input,   ///< subdomain r at place r
  random,
};
/// @throws usage_error unless the name is best, paper, groups, input or random
method parse_method(std::string_view name);
std::string_view name_of(method m);

struct options {
  method how = method::best;
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};  ///< the grid of the graph, if it has one
  double effort = 1;                ///< length of the searches, 1 is the default
  double least_gain = 0;            ///< relative gain of the score below which the input order is kept
  bool use_scotch = true;           ///< if it is installed
};

/// Place of each subdomain, with an explanation.
struct placement {
  std::vector<int> place;        ///< of each subdomain: index into target::places
  std::vector<std::string> how;  ///< "groups from bricks 1x2x4", ...
  assessment input, result;
  double random_off_host_bytes = 0;  ///< mean of random placements
  double random_predicted_s = 0;
  bool kept_input = false;
  double seconds = 0;  ///< duration of the search

  /// Gain relative to the score of the input order.
  double gain() const { return input.score() > 0 ? 1 - result.score() / input.score() : 0; }
};

/// Assign each vertex of the graph to a place of the target.
///
/// With method::best the result is never worse than the input order by `assessment::score`. It is independent of the number
/// of threads and determined by the seed.
/// @throws usage_error if there are fewer places than vertices, or the grid does not match the graph
/// @cite [Ito]: AFC and AFC-NB
placement place(const graph& g, const target& where, const options& options = {});

/// Seconds of an exchange in which rank r sends to and receives from the neighbours of vertex r the bytes of the edge
/// weights: median over repetitions of the slowest rank.
/// @param g the same on all ranks, one vertex per rank
/// @throws usage_error on all ranks if the number of vertices differs from that of ranks, or a message is larger than 1 GiB
/// @collective on comm
double exchange_seconds(MPI_Comm comm, const graph& g, int repeats);

}  // namespace osteon::placement
