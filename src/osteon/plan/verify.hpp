#pragma once
/// @file
/// Symbolic execution of a plan: verifies delivery, blending order and absence of deadlock. Counts of messages, bytes and
/// memory.
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/plan/plan.hpp>

namespace osteon::plan {

constexpr std::size_t most_problems = 20;  ///< maximum number of problems in the list of a verification

/// True if rank `from` has a parcel for rank `to`.
using parcel_wanted = std::function<bool(int from, int to)>;

/// Postcondition of a plan. Unset members are not checked: then a plan of an object is checked only for matching ends of
/// messages.
struct goal {
  std::vector<int> order = {};        ///< of compositing: rank at each visibility index, front to back
  int root = 0;                       ///< rank with the complete picture at the end; -1: distributed over all ranks
  std::int64_t staged_elements = -1;  ///< maximum number of elements stored in addition to the object; -1: no limit
  /// Spans with drawn pixels by rank, sorted and disjoint; otherwise the object is transparent and may be omitted. Empty:
  /// all ranks have drawn everywhere.
  std::vector<std::vector<span>> active = {};
  /// Sums, copies and broadcasts: ranks [begin, end) with objects contained in the final object of a rank.
  std::function<span(int rank)> holds = {};
  parcel_wanted wanted = {};  ///< for parcels; none: each ordered pair of different ranks
};

/// Elements that a round stores in addition to the object: data blended on arrival, and data that arrive while the old
/// elements are being sent.
std::int64_t staged_elements(const round& what);
/// True if a received message can be written in place during the sends of the round.
bool arrives_in_place(const round& what, const message& received);

/// Execute the whole plan symbolically.
///
/// In a valid plan, each send has one receive in the same round with the same description, and vice versa; the order
/// identifies messages of a pair. A rank posts all messages of a round before it waits for any of them, so by induction over
/// the rounds there is no deadlock.
///
/// For an object, every element of every rank has the interval of visibility indices (or of ranks, with `goal.holds`) that
/// it has blended. `over` joins only touching intervals, front before back, and a sum touching ones in any order. At the end
/// of compositing every element is exactly once in a result, with the interval [0, ranks); indices count the ranks that are
/// active at the element.
///
/// For parcels, a rank sends only parcels that it has, and at the end each wanted parcel, and no other, is at its
/// destination and has not been sent from there.
/// @return descriptions of at most 20 faults
/// @throws usage_error if the goal's order is not a permutation of the plan's ranks, or its root not a rank
/// @cost O(messages log ranks) time; memory of one round of all ranks, for each rank the distinct intervals of its object,
///       O(ranks^2) for parcels
std::vector<problem> verify(const plan& what, const goal& wanted = {});

struct plan_summary {
  std::int64_t rounds = 0;
  std::int64_t messages = 0;          ///< total; all spans of an object for one peer in one round count once
  std::int64_t pieces = 0;            ///< number of spans in messages
  std::int64_t sent_elements = 0;     ///< in sum
  std::int64_t most_sent = 0;         ///< elements, maximum over senders
  std::int64_t most_received = 0;     ///< elements, maximum over receivers
  std::int64_t most_messages_in = 0;  ///< maximum into one rank in one round
  std::int64_t most_staged = 0;       ///< elements stored in addition to the object (see staged_elements)
};

/// Count the whole plan. @cost O(messages log messages of a round)
plan_summary summarise(const plan& what);

}  // namespace osteon::plan
