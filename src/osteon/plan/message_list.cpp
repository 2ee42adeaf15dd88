#include <osteon/plan/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <osteon/base/error.hpp>
#include <string_view>

namespace osteon::plan {

namespace {

constexpr std::int64_t most_messages = 50'000'000, most_named_rank = (1 << 20) - 1, most_round = INT32_MAX,
                       most_bytes = std::int64_t{1} << 50;

}  // namespace

plan parse_messages(const std::string& text, const std::string& source) {
  std::vector<listed_message> messages;
  std::int64_t line_number = 0, ranks = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    ++line_number;
    line = line.substr(0, line.find('#'));
    std::int64_t value[4];
    int count = 0;
    bool good = true;
    for (const char *at = line.data(), *stop = at + line.size(); at != stop;) {
      if (*at == ' ' || *at == '\t' || *at == '\r') {
        ++at;
        continue;
      }
      std::int64_t number = 0;
      const auto [next, fault] = std::from_chars(at, stop, number);
      if (fault != std::errc() || number < 0 || count == 4) {
        good = false;
        break;
      }
      value[count++] = number;
      at = next;
    }
    if (good && count == 0) continue;
    good = good && count == 4 && value[0] <= most_round && value[1] <= most_named_rank && value[2] <= most_named_rank &&
           value[3] <= most_bytes && value[1] != value[2];
    if (!good)
      throw data_error(
          fmt::format("{}:{}: '{}' is no message: write round, sender, another rank as receiver (up to {}), bytes", source,
                      line_number, line, most_named_rank));
    messages.push_back({value[0], static_cast<int>(value[1]), static_cast<int>(value[2]), value[3]});
    ranks = std::max({ranks, value[1] + 1, value[2] + 1});
    if (static_cast<std::int64_t>(messages.size()) > most_messages)
      throw data_error(fmt::format("{} has more than {} messages", source, most_messages));
  }
  if (messages.empty())
    throw data_error(fmt::format("{} has no message: write lines of round, sender, receiver, bytes", source));
  return plan_of(source, static_cast<int>(ranks), messages);
}

}  // namespace osteon::plan
