#pragma once
/// @file
/// Symbolic execution of a plan verifies delivery, blending order and absence of deadlock. A summary counts messages, bytes
/// and memory.
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/plan/plan.hpp>

namespace osteon::plan {

constexpr std::size_t most_problems = 20;  ///< maximum number of problems in the list of a verification

/// True if rank `from` has a parcel for rank `to`.
using parcel_wanted = std::function<bool(int from, int to)>;

/// Postcondition of a plan. Unset members are not checked. Without a postcondition, a plan of an object is checked only for
/// matching message ends.
struct goal {
  std::vector<int> order = {};        ///< compositing: rank at each visibility index, front to back
  int root = 0;                       ///< rank with the complete picture at the end; -1: distributed over all ranks
  std::int64_t staged_elements = -1;  ///< maximum number of elements stored in addition to the object; -1: no limit
  /// Spans with drawn pixels by rank, sorted and disjoint. Outside of these spans, objects are transparent and may be
  /// omitted. Empty: all ranks have drawn everywhere.
  std::vector<std::vector<span>> active = {};
  /// Sums, copies and broadcasts: the final object of a rank contains the objects of ranks [begin, end).
  std::function<span(int rank)> holds = {};
  parcel_wanted wanted = {};  ///< parcels; empty: one parcel for each ordered pair of different ranks
};

/// Number of elements that a round stores in addition to the object. These elements are blended on arrival, or replace
/// elements that are sent in the same round.
std::int64_t staged_elements(const round& round);
/// True if a received message can be written in place during the sends of the round.
bool arrives_in_place(const round& round, const message& received);

/// Execute the whole plan symbolically.
///
/// In a valid plan, each send has one receive with an equal description in the same round, and each receive has one such
/// send. Messages of a pair of ranks are identified by their order. A rank posts all messages of a round before it waits. By
/// induction over the rounds, a deadlock is impossible.
///
/// For an object, the state of an element on a rank is the interval of blended visibility indices. With `goal.holds`, the
/// interval contains ranks instead of visibility indices. `over` joins only adjacent intervals, front before back; a sum
/// joins adjacent intervals in any order. At the end of compositing, every element is in exactly one result, and its
/// interval is [0, ranks). Indices count only the ranks that are active at the element.
///
/// For parcels, a rank must have the parcels that it sends. At the end, exactly the wanted parcels are at their
/// destinations.
/// @return descriptions of at most 20 faults
/// @throws usage_error if the goal's order is not a permutation of the plan's ranks, or the goal's root is not a rank
/// @cost O(messages log ranks) time; memory for one round of all ranks, for the distinct intervals of each object,
///       and O(ranks^2) for parcels
std::vector<problem> verify(const plan& plan, const goal& goal = {});

struct plan_summary {
  std::int64_t rounds = 0;
  std::int64_t messages = 0;          ///< total number; all spans of an object for one peer in one round count as one
                                      ///< message
  std::int64_t pieces = 0;            ///< number of spans in messages
  std::int64_t sent_elements = 0;     ///< total
  std::int64_t most_sent = 0;         ///< elements, maximum over senders
  std::int64_t most_received = 0;     ///< elements, maximum over receivers
  std::int64_t most_messages_in = 0;  ///< maximum number of messages into one rank in one round
  std::int64_t most_staged = 0;       ///< elements stored in addition to the object (see staged_elements)
};

/// Count the whole plan. @cost O(messages log messages of a round)
plan_summary summarise(const plan& plan);

}  // namespace osteon::plan
