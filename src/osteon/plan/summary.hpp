#pragma once
/// @file
/// Counts of a plan's messages, bytes and memory.
#include <osteon/plan/plan.hpp>

namespace osteon::plan {

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
