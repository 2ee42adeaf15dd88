#pragma once
/// @file
/// Conflicts: number of messages of a round that use the same port or link.
///
/// The worst case of wormhole switching: a message occupies its whole route while in flight, and all messages of a round are
/// in flight together. Switches are non-blocking inside, and a message to its own sender uses no link. The load of a link is
/// the number of messages that occupy it; a round is free of conflicts if no load exceeds the link's virtual channels.
#include <cstdint>
#include <optional>
#include <osteon/net/networks/network.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::net {

struct round_load {
  std::int64_t round = 0;
  std::int64_t messages = 0;
  int largest = 0;         ///< load of the busiest link
  int busiest = -1;        ///< that link; -1: no message leaves its PU
  double mean = 0;         ///< load, over the links that are used
  bool collision = false;  ///< a load exceeds the link's channels
};

/// Messages of the first conflict: two for a link of one channel, or one more than its channels.
struct collision {
  std::int64_t round = 0;
  int link = -1;
  plan::parcel first, second;  ///< ranks
};

struct conflict_report {
  std::vector<round_load> rounds;  ///< those that were counted
  int largest = 0;                 ///< of all rounds
  double mean_largest = 0;         ///< over the rounds, of the largest load
  std::int64_t free_rounds = 0;
  std::optional<collision> first;
};

/// Rounds begin, begin + step, ... below end.
struct round_range {
  std::int64_t begin = 0, end = INT64_MAX, step = 1;
};

constexpr std::int64_t most_messages_to_count = 200'000'000;

/// Count messages by link, round by round.
/// @param places PU of each rank; empty: rank r is on PU r
/// @throws usage_error if there are more ranks than PUs, or more than most_messages_to_count messages may be concurrent
/// @cost O(messages * links of a route) time, O(links) memory
conflict_report count_conflicts(const network& where, const plan::plan& what, std::span<const int> places = {},
                                const round_range& rounds = {});

/// Load of each link by the messages of a round (or of all, if `round` is below 0).
struct link_loads {
  std::vector<int> messages;
  std::vector<double> bytes;
};
link_loads loads_of(const network& where, const plan::plan& what, std::int64_t round, std::span<const int> places = {});

/// A theorem by which no round of the plan has a conflict, with its conditions checked: for all sizes, without counting.
/// Rank r is on PU r.
/// @return statement and short proof; none: no theorem applies, which is inconclusive
std::optional<std::string> proven_free_of_conflicts(const network& where, const plan::plan& what);

}  // namespace osteon::net
