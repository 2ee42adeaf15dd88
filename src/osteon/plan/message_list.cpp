#include <osteon/plan/plan.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <osteon/base/error.hpp>
#include <string_view>

namespace osteon::plan {

namespace {

constexpr std::int64_t most_messages = 50'000'000, most_named_rank = (1 << 20) - 1, most_round = INT32_MAX,
                       most_bytes = std::int64_t{1} << 50;

struct line_of_list {
  listed_message message;
  bool is_sent = true, is_received = true;  // true for the ends of the message that the line describes
};

// If a line describes only one end of a message, the other end is not added. verify must detect missing ends.
plan plan_of_ends(const std::string& name, int ranks, const std::vector<line_of_list>& lines) {
  const auto all = std::make_shared<std::map<std::pair<int, std::int64_t>, round>>();  // messages by rank and round
  plan made{.name = name, .ranks = ranks, .moves = cargo::bytes};
  for (const line_of_list& l : lines) {
    if (l.is_sent) (*all)[{l.message.from, l.message.round}].sends.push_back({l.message.to, {0, l.message.bytes}});
    if (l.is_received) (*all)[{l.message.to, l.message.round}].receives.push_back({l.message.from, {0, l.message.bytes}});
    made.rounds = std::max(made.rounds, l.message.round + 1);
  }
  made.of = [all](int rank, std::int64_t number) {
    const auto found = all->find({rank, number});
    return found == all->end() ? round{} : found->second;
  };
  return made;
}

// If the last word of the line equals `word`, remove this word.
bool takes_word(std::string_view& line, std::string_view word) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  if (end == std::string_view::npos || !line.substr(0, end + 1).ends_with(word)) return false;
  line = line.substr(0, end + 1 - word.size());
  return true;
}

}  // namespace

plan parse_messages(const std::string& text, const std::string& source) {
  std::vector<line_of_list> lines;
  bool tells_ends = false;
  std::int64_t line_number = 0, ranks = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line(text.data() + begin, end - begin);
    begin = end + 1;
    ++line_number;
    line = line.substr(0, line.find('#'));
    const std::string_view whole = line;
    const bool is_sent = takes_word(line, " sent"), is_received = !is_sent && takes_word(line, " received");
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
    if (good && count == 0 && !is_sent && !is_received) continue;
    const bool one_end = is_sent || is_received;
    good = good && count == 4 && value[0] <= most_round && value[1] <= most_named_rank && value[2] <= most_named_rank &&
           value[3] <= most_bytes && value[1] != value[2];
    if (!good)
      throw data_error(
          fmt::format("{}:{}: '{}' is not a message; write round, sender, receiver (another rank, at most {}), bytes, and "
                      "'sent' or 'received' for a single end",
                      source, line_number, whole, most_named_rank));
    tells_ends = tells_ends || one_end;
    lines.push_back({{value[0], static_cast<int>(value[1]), static_cast<int>(value[2]), value[3]}, !is_received, !is_sent});
    ranks = std::max({ranks, value[1] + 1, value[2] + 1});
    if (static_cast<std::int64_t>(lines.size()) > most_messages)
      throw data_error(fmt::format("{} has more than {} messages", source, most_messages));
  }
  if (lines.empty())
    throw data_error(fmt::format("{}: no messages; write lines with round, sender, receiver and bytes", source));
  if (tells_ends) return plan_of_ends(source, static_cast<int>(ranks), lines);
  std::vector<listed_message> messages;
  messages.reserve(lines.size());
  for (const line_of_list& l : lines) messages.push_back(l.message);
  return plan_of(source, static_cast<int>(ranks), messages);
}

}  // namespace osteon::plan
