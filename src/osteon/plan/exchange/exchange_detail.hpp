#pragma once
/// @file
/// Helpers of the generators of exchange plans.
#include <cstdint>
#include <functional>
#include <osteon/plan/exchange/exchange.hpp>

namespace osteon::plan::detail {

inline constexpr std::int64_t most_ranks = std::int64_t{1} << 30;  ///< sums of two ranks fit into an int

/// @throws usage_error unless 1 <= ranks <= most_ranks
void check_ranks(const std::string& name, int ranks);

/// ceil(log2 ranks)
inline int levels(int ranks) {
  int result = 0;
  for (std::int64_t size = 1; size < ranks; size *= 2) ++result;
  return result;
}

using partner_of = std::function<int(int rank, std::int64_t round)>;

/// Direct exchange of parcels. In a round, each rank sends to one rank and receives from one rank. The value -1, or the
/// number of the rank itself, means that the rank has no partner.
plan by_partner(std::string name, int ranks, std::int64_t rounds, partner_of to, partner_of from, parcel_sizes sizes);

/// Plan in which each message contains a complete object. @param on_arrival arrival action of each round
plan of_objects(std::string name, int ranks, std::int64_t rounds, std::function<arrival(std::int64_t round)> on_arrival,
                std::int64_t bytes, partner_of to, partner_of from);

}  // namespace osteon::plan::detail
