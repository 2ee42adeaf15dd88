#pragma once
/// @file
/// Symbolic execution of a plan: is every element delivered, blended in legal order, and does nobody wait forever? And
/// counts of its messages, bytes and memory.
#include <osteon/base/error.hpp>
#include <osteon/plan/plan.hpp>
#include <span>

namespace osteon::plan {

constexpr std::size_t most_problems = 20;  ///< that a verification lists

/// Postcondition of a compositing plan.
struct composite_goal {
  std::vector<int> order;             ///< rank at each visibility index, front to back
  int root = 0;                       ///< rank with the whole picture at the end; -1: spread over all ranks
  std::int64_t staged_elements = -1;  ///< most elements that a rank may hold beside its object; -1: no limit
  /// By rank, where it has drawn anything: sorted, disjoint spans; elsewhere its object is transparent and may be left
  /// out. Empty: everyone has drawn everywhere.
  std::vector<std::vector<span>> active = {};
};

/// Elements that a round has to hold beside the object: what is blended on arrival, and what arrives where the old
/// elements are still being sent.
std::int64_t staged_elements(const round& what);
/// Whether a received step can be written in place while the round's sends are under way.
bool arrives_in_place(const round& what, const step& received);

/// Execute the whole plan on symbols: every element of every rank carries the interval of visibility indices that it
/// has blended.
///
/// A plan without problems has, for each send, one receiving step of the same span in the same round (and the other
/// way round); since every rank waits for its round only, by induction over the rounds no rank waits forever. `over`
/// joins only touching intervals, front before back. At the end every element is held exactly once as a result, and
/// holds [0, ranks). Where ranks are inactive, indices count those that are active at the element.
/// @return the faults, in words; at most 20
/// @throws usage_error if the goal's order is no permutation of the plan's ranks, or its root none of them
/// @cost O(messages log ranks) time; the whole plan, and for each rank the stretches of its object that differ, in memory
std::vector<problem> verify_composite(const plan& what, const composite_goal& goal);

struct plan_summary {
  std::int64_t rounds = 0;
  std::int64_t messages = 0;          ///< in sum; all steps to one peer in one round count once
  std::int64_t pieces = 0;            ///< steps that send: spans that the messages are made of
  std::int64_t sent_elements = 0;     ///< in sum
  std::int64_t most_sent = 0;         ///< elements, by the rank that sends most
  std::int64_t most_received = 0;     ///< elements, by the rank that receives most
  std::int64_t most_messages_in = 0;  ///< into one rank in one round
  std::int64_t most_staged = 0;       ///< elements that a rank holds beside its object (see staged_elements)
};

/// Count the whole plan. @cost O(steps log steps of a round)
plan_summary summarise(const plan& what);

}  // namespace osteon::plan
