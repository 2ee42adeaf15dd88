#pragma once
/// @file
/// Collection of the final parts of the picture at one member. All members can compute the position of every part in the
/// picture. Members therefore receive the parts in place, without an exchange of sizes or offsets.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

enum class collect_method : std::uint8_t {
  gather,   ///< all owners send to the root in one round
  fan_in,   ///< parts are sent along a tree; a member receives from at most `limit` members in a round
  leaders,  ///< parts are sent to a leader on each host, and then to the root
  none,     ///< parts remain at their owners
};

struct collect_options {
  collect_method method = collect_method::gather;
  int limit = 8;             ///< for fan_in: maximum number of messages that one member receives in a round
  std::vector<int> host_of;  ///< for leaders: host of the member at each visibility index
};

/// Append the rounds of the collection to the plan. If the root already has all parts, or if `root` is -1, the function
/// appends no rounds.
/// @param root visibility index
/// @throws usage_error if the limit is below 1, or the host of a member is missing
/// @cost of(index) takes O(log) time per part that the member forwards. A root forwards all parts, and a leader forwards the
/// parts of its subtree.
composite collected(composite parts, int root, const collect_options& options = {});

}  // namespace osteon::plan
