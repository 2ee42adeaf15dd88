#pragma once
/// @file
/// The cost of a placement by the model that placements are chosen by.
#include <array>
#include <osteon/placement/core_mapping.hpp>
#include <osteon/placement/target.hpp>
#include <span>
#include <string>

namespace osteon::placement {

/// One exchange: every subdomain sends to each neighbour and receives from it.
struct assessment {
  std::int64_t off_host_bytes = 0;              ///< both directions
  std::array<std::int64_t, 4> bytes_by_path{};  ///< both directions; indexed by machine::path
  network_load network;
  std::string hottest_link;                    ///< empty if nothing leaves a host
  double slowest_rank_s = 0, mean_rank_s = 0;  ///< of a rank that sends its messages one after another
  /// The exchange's time: that of the hottest link or of the slowest rank, whichever is longer.
  double predicted_s() const { return std::max(network.hottest_time, slowest_rank_s); }
  /// The value that placements are compared by; the means decide between those whose worst is equal.
  double score() const { return predicted_s() + 0.1 * (network.mean_time + mean_rank_s); }
};

/// @param place of each vertex: index into where.places
assessment assess(const graph& g, std::span<const int> place, const target& where);

/// Seconds a byte between cores of a host, with latencies spread over messages of this size.
core_costs costs_between_cores(const target& where, int host, std::span<const int> cores, double message_bytes);

/// Weight of a mean edge, in bytes; 1 if there is none.
double mean_message(const graph& g);

}  // namespace osteon::placement
