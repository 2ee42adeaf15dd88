#pragma once
/// @file
/// Exchanges that are written down message by message.
#include <osteon/plan/exchange.hpp>

namespace osteon::plan {

/// A message with its round and both ends.
struct listed_message {
  std::int64_t round = 0;
  int from = 0, to = 0;
  std::int64_t bytes = 0;
};

/// The exchange of these messages, which stay in memory. @param ranks at least the largest rank + 1
exchange exchange_of(std::string name, int ranks, const std::vector<listed_message>& messages);

/// Read a text of lines `round from to bytes`; text after a # is a remark. Ranks are those up to the largest one named.
/// @throws data_error naming the line
exchange parse_messages(const std::string& text, const std::string& source);

}  // namespace osteon::plan
