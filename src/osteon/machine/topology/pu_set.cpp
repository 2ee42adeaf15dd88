#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <osteon/base/error.hpp>
#include <osteon/machine/topology/pu_set.hpp>

namespace osteon::machine {

namespace {

int number_of(std::string_view digits, std::string_view whole) {
  int value = -1;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc{} || end != digits.data() + digits.size() || value < 0 || value >= most_pus)
    throw data_error(fmt::format("list of hardware threads '{}': '{}' must be a number from 0 to {}; example: 0-3,8", whole,
                                 digits, most_pus - 1));
  return value;
}

}  // namespace

pu_set parse_pu_list(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  pu_set result;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    const auto dash = part.find('-');
    const int first = number_of(part.substr(0, dash), text);
    const int last = dash == std::string_view::npos ? first : number_of(part.substr(dash + 1), text);
    if (last < first)
      throw data_error(fmt::format("list of hardware threads '{}': the range '{}' must be ascending", text, part));
    for (int pu = first; pu <= last; ++pu) result.push_back(pu);
    // Overlapping ranges could otherwise exhaust the memory.
    if (result.size() > static_cast<std::size_t>(most_pus))
      throw data_error(fmt::format("a list of hardware threads exceeds the limit of {} numbers", most_pus));
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::string to_list(const pu_set& pus) {
  std::string text;
  for (std::size_t i = 0; i < pus.size();) {
    std::size_t last = i;
    while (last + 1 < pus.size() && pus[last + 1] == pus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", pus[i]) : fmt::format("{}-{}", pus[i], pus[last]);
    i = last + 1;
  }
  return text;
}

pu_set common(const pu_set& a, const pu_set& b) {
  pu_set result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

pu_set without(const pu_set& a, const pu_set& b) {
  pu_set result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

pu_set united(const pu_set& a, const pu_set& b) {
  pu_set result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

}  // namespace osteon::machine
