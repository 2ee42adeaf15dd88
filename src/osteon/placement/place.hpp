#pragma once
/// @file
/// Mapping of subdomains to cores. The selection model computes the cost of a placement. The time of a placement can be
/// measured.
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

/// Cost of an exchange in which every subdomain sends a message to each neighbour.
struct assessment {
  std::int64_t off_host_bytes = 0;              ///< sum of both directions
  std::array<std::int64_t, 4> bytes_by_path{};  ///< sum of both directions, for each machine::path
  network_load network;
  std::string hottest_link;  ///< name of the busiest link; empty without messages between hosts
  /// time of the slowest rank, and mean time of a rank; a rank sends its messages serially
  double slowest_rank_s = 0, mean_rank_s = 0;
  /// Time of the exchange. The time is the maximum of two times: the time of the busiest link, and the time of the slowest
  /// rank.
  double predicted_s() const { return std::max(network.hottest_time, slowest_rank_s); }
  /// Criterion for the comparison of placements. Smaller values are better. The mean values distinguish placements with
  /// equal maxima.
  double score() const { return predicted_s() + 0.1 * (network.mean_time + mean_rank_s); }
};

/// Compute the cost of a placement.
/// @param place place of each vertex, as an index into available.places
assessment assess(const graph& g, std::span<const int> place, const target& available);

/// Seconds per byte between the cores of a host. The latency is distributed over the bytes of a message of the given size.
core_costs costs_between_cores(const target& available, int host, std::span<const int> cores, double message_bytes);

/// Mean weight of an edge in bytes. For a graph without edges, the result is 1.
double mean_message(const graph& g);

enum class method : std::uint8_t {
  best,    ///< search for groups, for hosts of groups and for cores inside hosts, on the measured or modelled machine
  paper,   ///< AFC: groups by partitioning, group g on host g, and cores by the tree
  groups,  ///< AFC-NB: groups by partitioning, group g on host g, and cores in order
  input,   ///< input order: subdomain r at place r
  random,
};
/// Parse the name of a method. @throws usage_error unless the name is best, paper, groups, input or random
method parse_method(std::string_view name);
std::string_view name_of(method m);

struct options {
  method how = method::best;
  std::uint64_t seed = 1;
  std::optional<cartesian> grid{};  ///< grid of the graph, if the graph is a grid
  double effort = 1;                ///< factor of the length of the searches
  double least_gain = 0;            ///< minimum relative gain of the score; with a smaller gain, the input order is retained
  bool use_scotch = true;           ///< true: use Scotch if Scotch is installed
};

/// Place of each subdomain, and explanation of the result.
struct placement {
  std::vector<int> place;        ///< place of each subdomain, as an index into target::places
  std::vector<std::string> how;  ///< steps of the search, for example "groups from bricks 1x2x4"
  assessment input, result;
  double random_off_host_bytes = 0;  ///< mean over random placements
  double random_predicted_s = 0;
  bool kept_input = false;
  double seconds = 0;  ///< duration of the search in s

  /// Gain of the score relative to the score of the input order.
  double gain() const { return input.score() > 0 ? 1 - result.score() / input.score() : 0; }
};

/// Assign each vertex of the graph to a place of the target.
///
/// With method::best, the `assessment::score` of the result is never worse than the score of the input order. The result
/// depends on the seed, but not on the number of threads.
/// @throws usage_error if there are fewer places than vertices, or if the grid does not match the graph
/// @cite [Ito] (AFC and AFC-NB)
placement place(const graph& g, const target& available, const options& options = {});

/// Measure the duration of an exchange. Rank r exchanges data with each neighbour of vertex r. The number of bytes in each
/// direction is the weight of the edge.
/// @return duration in s on the slowest rank, median over repetitions
/// @param g graph with one vertex per rank; equal on all ranks
/// @throws usage_error on all ranks if the numbers of vertices and ranks differ, or if a message is larger than 1 GiB
/// @collective on comm
double exchange_seconds(MPI_Comm comm, const graph& g, int repeats);

}  // namespace osteon::placement
