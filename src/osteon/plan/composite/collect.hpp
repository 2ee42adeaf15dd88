#pragma once
/// @file
/// Collection of finished parts at one member. All members can compute the position of every part. Parts are therefore
/// received in place, without an exchange of sizes or offsets.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

enum class collect_method : std::uint8_t {
  gather,   ///< all owners to the root, in one round
  fan_in,   ///< along a tree; a member receives from at most `limit` members in a round
  leaders,  ///< to a leader on each host, then to the root
  none,     ///< parts remain at their owners
};

struct collect_options {
  collect_method method = collect_method::gather;
  int limit = 8;             ///< fan_in: maximum number of messages received by one member in a round
  std::vector<int> host_of;  ///< leaders: host of each visibility index
};

/// Append the rounds of the collection. No rounds are appended if the root already has all parts, or if `root` is -1.
/// @param root visibility index
/// @throws usage_error if the limit is below 1, or the host of a member is missing
/// @cost of(index): O(log) per part that the member forwards; a root or leader handles the parts of its subtree
composite collected(composite parts, int root, const collect_options& options = {});

}  // namespace osteon::plan
