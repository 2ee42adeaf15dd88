#pragma once
/// @file
/// Conflicts of messages. A conflict occurs if several messages of a round use the same port or link.
///
/// The model is the worst case of wormhole switching. A message in flight occupies its whole route, and all messages of a
/// round are in flight at the same time. Switches are internally non-blocking. A message from a rank to itself uses no link.
/// The load of a link is the number of messages that occupy the link. A round has no conflicts if the load of each link is
/// at most the number of virtual channels of the link.
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
  int busiest = -1;        ///< busiest link; -1: no message leaves its PU
  double mean = 0;         ///< mean load of the used links
  bool collision = false;  ///< true if the load of a link exceeds its number of channels
};

/// The last two messages of the first conflict.
struct collision {
  std::int64_t round = 0;
  int link = -1;
  plan::parcel first, second;  ///< sender and receiver of the two messages
};

struct conflict_report {
  std::vector<round_load> rounds;  ///< loads of the counted rounds
  int largest = 0;                 ///< largest load of all rounds
  double mean_largest = 0;         ///< mean over the rounds of the largest load of a round
  std::int64_t free_rounds = 0;
  std::optional<collision> first;
};

/// The rounds begin, begin + step, begin + 2 step, ... below `end`.
struct round_range {
  std::int64_t begin = 0, end = INT64_MAX, step = 1;
};

constexpr std::int64_t most_messages_to_count = 200'000'000;

/// Count the messages on each link in each round.
/// @param places PU of each rank; empty: rank r is on PU r
/// @throws usage_error if there are more ranks than PUs, or if more than most_messages_to_count messages may be concurrent
/// @cost O(messages * links of a route) time, O(links) memory
conflict_report count_conflicts(const network& net, const plan::plan& plan, std::span<const int> places = {},
                                const round_range& rounds = {});

/// Load of each link by the messages of one round. If `round` is negative, the load includes the messages of all rounds.
struct link_loads {
  std::vector<int> messages;
  std::vector<double> bytes;
};
link_loads loads_of(const network& net, const plan::plan& plan, std::int64_t round, std::span<const int> places = {});

/// Find a theorem that excludes conflicts in all rounds of the plan for all sizes of messages. The function does not count
/// messages. Rank r is on PU r.
/// @return theorem and short proof; empty if no theorem applies, because conflicts are possible in this case
std::optional<std::string> proven_free_of_conflicts(const network& net, const plan::plan& plan);

}  // namespace osteon::net
