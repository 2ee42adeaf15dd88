#pragma once
/// @file
/// Symbolic execution of a plan verifies delivery, blending order and absence of deadlock. A summary counts messages, bytes
/// and memory.
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/plan/plan.hpp>

namespace osteon::plan {

constexpr std::size_t most_problems = 20;  ///< maximum number of problems that a verification lists

/// True if rank `from` has a parcel for rank `to`.
using parcel_wanted = std::function<bool(int from, int to)>;

/// Postcondition of a plan. Unset members are not checked. For a plan of an object without a postcondition, `verify` only
/// checks that the two ends of each message match.
struct goal {
  std::vector<int> order = {};  ///< for compositing: rank at each visibility index, front to back
  /// rank with the complete picture at the end; -1: the picture is distributed over all ranks
  int root = 0;
  /// maximum number of elements that a rank stores in addition to the object; -1: no limit
  std::int64_t staged_elements = -1;
  /// Spans with drawn pixels of each rank. The spans are sorted and disjoint. Outside of these spans, images are
  /// transparent, and a plan may omit their elements. Empty: all ranks have drawn all pixels.
  std::vector<std::vector<span>> active = {};
  /// For sums, copies and broadcasts: the final object of a rank contains the objects of the ranks [begin, end).
  std::function<span(int rank)> holds = {};
  parcel_wanted wanted = {};  ///< required parcels; empty: one parcel for each ordered pair of different ranks
};

/// Number of elements that a rank stores in a round in addition to the object. These elements are blended on arrival, or
/// replace elements that the rank sends in the same round.
std::int64_t staged_elements(const round& round);
/// True if a received message can be written to its final place while the sends of the round are active.
bool arrives_in_place(const round& round, const message& received);

/// Execute the whole plan symbolically.
///
/// In a valid plan, each send has exactly one receive with an equal description in the same round. Each receive has exactly
/// one such send. Several messages of a pair of ranks are identified by their order. A rank posts all messages of a round
/// before waiting for a message. By induction over the rounds, no deadlock is possible.
///
/// For an object, the state of an element on a rank is the interval of blended visibility indices. With `goal.holds`, the
/// interval contains ranks instead of visibility indices. `over` joins only adjacent intervals, front before back. A sum
/// joins adjacent intervals in any order. At the end of compositing, exactly one result contains each element. The interval
/// of the element is then [0, ranks). Indices count only the ranks that have drawn the element.
///
/// For plans of parcels, a rank must have each parcel that the rank sends. At the end, exactly the required parcels are at
/// their destinations.
/// @return descriptions of at most 20 faults
/// @throws usage_error if the order of the goal is not a permutation of the plan's ranks, or if the root of the goal is not
/// a rank
/// @cost O(messages log ranks) time; memory for one round of all ranks, for the distinct intervals of each object,
///       and O(ranks^2) for parcels
std::vector<problem> verify(const plan& plan, const goal& goal = {});

struct plan_summary {
  std::int64_t rounds = 0;
  /// total number of messages; all spans of an object for one peer in one round form one message
  std::int64_t messages = 0;
  std::int64_t pieces = 0;         ///< number of spans in all messages
  std::int64_t sent_elements = 0;  ///< total number of sent elements
  std::int64_t most_sent = 0;      ///< number of sent elements, maximum over senders
  std::int64_t most_received = 0;  ///< number of received elements, maximum over receivers
  /// number of messages that one rank receives in one round, maximum over ranks and rounds
  std::int64_t most_messages_in = 0;
  /// number of elements stored in addition to the object, maximum over ranks and rounds (function staged_elements)
  std::int64_t most_staged = 0;
};

/// Count the messages of the whole plan. @cost O(messages log messages of a round)
plan_summary summarise(const plan& plan);

}  // namespace osteon::plan
