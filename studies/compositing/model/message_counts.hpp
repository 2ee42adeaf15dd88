#pragma once
/// @file
/// Numbers of messages of the compositing methods for numbers of ranks. The messages are counted in the plans of the
/// methods.
#include <cstdint>
#include <string>
#include <vector>

namespace osteon::studies {

struct message_count {
  int ranks = 0;
  /// number of messages of the rank that sends the most messages, without the collection of final parts
  std::int64_t most = 0;
  std::int64_t all = 0;  ///< number of messages of all ranks
};
struct messages_of_method {
  std::string method;
  std::vector<message_count> counts;
};

/// @param methods texts for plan::composite_method::parse @param most_ranks maximum number of ranks; messages are counted
/// for 2, 4, 8, ... ranks up to this maximum
/// @throws usage_error for an unknown method
std::vector<messages_of_method> count_messages(const std::vector<std::string>& methods, int most_ranks);

}  // namespace osteon::studies
