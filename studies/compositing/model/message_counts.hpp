#pragma once
/// @file
/// Numbers of messages of the compositing methods by number of ranks, counted in the plans of the methods.
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::studies {

struct message_count {
  int ranks = 0;
  std::int64_t most = 0;  ///< messages sent by the rank that sends most, without the collection of finished parts
  std::int64_t all = 0;   ///< sent by all ranks
};
struct messages_of_method {
  std::string method;
  std::vector<message_count> counts;
};

/// @param methods as for plan::composite_method::parse @param most_ranks maximum number of ranks; messages are counted for
/// 2, 4, 8, ... ranks up to this maximum
/// @throws usage_error for an unknown method
std::vector<messages_of_method> count_messages(const std::vector<std::string>& methods, int most_ranks);

}  // namespace osteon::studies
