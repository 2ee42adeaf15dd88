#pragma once
/// @file
/// Symbolic execution of a plan: is everything delivered, blended in legal order, and does nobody wait forever? And counts
/// of its messages, bytes and memory.
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/plan/plan.hpp>

namespace osteon::plan {

constexpr std::size_t most_problems = 20;  ///< that a verification lists

/// Whether rank `from` has a parcel for rank `to`.
using parcel_wanted = std::function<bool(int from, int to)>;

/// Postcondition of a plan. What it does not name is not asked: then a plan of an object is held against the rules for the
/// ends of messages alone.
struct goal {
  std::vector<int> order = {};        ///< of compositing: rank at each visibility index, front to back
  int root = 0;                       ///< rank with the whole picture at the end; -1: spread over all ranks
  std::int64_t staged_elements = -1;  ///< most elements that a rank may hold beside its object; -1: no limit
  /// By rank, where it has drawn anything: sorted, disjoint spans; elsewhere its object is transparent and may be left
  /// out. Empty: everyone has drawn everywhere.
  std::vector<std::vector<span>> active = {};
  /// Of sums, copies and broadcasts: the ranks [begin, end) whose objects are in a rank's at the end.
  std::function<span(int rank)> holds = {};
  parcel_wanted wanted = {};  ///< of parcels; none: each ordered pair of different ranks
};

/// Elements that a round has to hold beside the object: what is blended on arrival, and what arrives where the old
/// elements are still being sent.
std::int64_t staged_elements(const round& what);
/// Whether a received message can be written in place while the round's sends are under way.
bool arrives_in_place(const round& what, const message& received);

/// Execute the whole plan on symbols.
///
/// A plan without problems has, for each send, one receive in the same round (and the other way round) that says the same;
/// messages of a pair are told apart by their order. A rank posts all messages of a round before it waits for any of them,
/// so by induction over the rounds no rank waits forever.
///
/// Of an object, every element of every rank carries the interval of visibility indices (or of ranks, with `goal.holds`)
/// that it has blended. `over` joins only touching intervals, front before back, and a sum touching ones in any order. At
/// the end of compositing every element is held exactly once as a result, and holds [0, ranks); where ranks are inactive,
/// indices count those that are active at the element.
///
/// Of parcels, a rank sends only what it holds, and in the end each wanted parcel, and no other, has come to its rank, and
/// never left it.
/// @return the faults, in words; at most 20
/// @throws usage_error if the goal's order is no permutation of the plan's ranks, or its root none of them
/// @cost O(messages log ranks) time; in memory one round of all ranks, for each rank the stretches of its object that
/// differ,
///       O(ranks^2) for parcels
std::vector<problem> verify(const plan& what, const goal& wanted = {});

struct plan_summary {
  std::int64_t rounds = 0;
  std::int64_t messages = 0;          ///< in sum; of an object all spans for one peer in one round count once
  std::int64_t pieces = 0;            ///< spans that the messages are made of
  std::int64_t sent_elements = 0;     ///< in sum
  std::int64_t most_sent = 0;         ///< elements, by the rank that sends most
  std::int64_t most_received = 0;     ///< elements, by the rank that receives most
  std::int64_t most_messages_in = 0;  ///< into one rank in one round
  std::int64_t most_staged = 0;       ///< elements that a rank holds beside its object (see staged_elements)
};

/// Count the whole plan. @cost O(messages log messages of a round)
plan_summary summarise(const plan& what);

}  // namespace osteon::plan
