#pragma once
/// @file
/// Messages of the compositing methods over the number of ranks, counted in their plans.
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::studies {

struct message_count {
  int ranks = 0;
  std::int64_t most = 0;  ///< sent by the rank that sends most, without the collection of finished parts
  std::int64_t all = 0;   ///< sent by all ranks
};
struct messages_of_method {
  std::string method;
  std::vector<message_count> counts;
};

/// @param methods as for plan::composite_method::parse @param most_ranks counts are made for 2, 4, 8, ... up to it
/// @throws usage_error for an unknown method
std::vector<messages_of_method> count_messages(const std::vector<std::string>& methods, int most_ranks);

}  // namespace osteon::studies
