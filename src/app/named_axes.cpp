#include <app/named_axes.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <osteon/base/error.hpp>
#include <string_view>

namespace osteon::app {

namespace {

constexpr std::int64_t longest = 1'000'000'000;

// Return the number that the whole word represents, or nullopt.
template <class Number>
std::optional<Number> number_in(std::string_view word) {
  if (word.starts_with('+') && word.size() > 1 && word[1] != '-') word.remove_prefix(1);
  Number value{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string> parts(const std::string& text, char between) {
  std::vector<std::string> found(1);
  for (const char c : text)
    if (c == between)
      found.emplace_back();
    else
      found.back() += c;
  return found;
}

// Form of the value of an option.
struct form {
  const char* expected;            ///< "a point"
  const char* example;             ///< example in the present form
  std::vector<std::string> names;  ///< names of the axes, in the order of the older form
  char between;                    ///< separator of the numbers in the older form
  bool has_zeros = false;          ///< missing names have the value 0, except the last name
};

template <class Number>
std::vector<Number> parse_form(const form& f, const std::string& option, const std::string& text, spelling_hints& hints) {
  const auto refuse = [&](const std::string& why) {
    return usage_error(
        fmt::format("{} {}: {}; must be {}, such as {} {}", option, text, why, f.expected, option, f.example));
  };
  const auto number = [&](const std::string& word) {
    const auto value = number_in<Number>(word);
    if (!value) throw refuse(fmt::format("'{}' is not a {}number", word, std::is_integral_v<Number> ? "whole " : ""));
    return *value;
  };
  std::vector<Number> values;
  if (text.find('=') == std::string::npos) {
    const std::vector<std::string> words = parts(text, f.between);
    if (words.size() != f.names.size()) throw refuse(fmt::format("{} number{}", words.size(), words.size() == 1 ? "" : "s"));
    for (const std::string& word : words) values.push_back(number(word));
    std::vector<std::string> named;
    for (const char* name : {"z", "y", "x", "offset"})
      if (const auto at = std::find(f.names.begin(), f.names.end(), name); at != f.names.end())
        named.push_back(*at + "=" + words[static_cast<std::size_t>(at - f.names.begin())]);
    hints.push_back(fmt::format("{} {}: name the axes: {} {}", option, text, option, fmt::join(named, ",")));
    return values;
  }
  std::vector<std::optional<Number>> found(f.names.size());
  for (const std::string& part : parts(text, ',')) {
    const auto sign = part.find('=');
    const std::string name = part.substr(0, sign);
    const auto at = std::find(f.names.begin(), f.names.end(), name);
    if (sign == std::string::npos || at == f.names.end())
      throw refuse(fmt::format("'{}' is not {} followed by = and a value", part, fmt::join(f.names, ", ")));
    auto& value = found[static_cast<std::size_t>(at - f.names.begin())];
    if (value) throw refuse(fmt::format("duplicate {}", name));
    value = number(part.substr(sign + 1));
  }
  for (std::size_t n = 0; n < found.size(); ++n) {
    if (!found[n] && f.has_zeros && n + 1 < found.size()) found[n] = Number{};
    if (!found[n]) throw refuse(f.names[n] + " is missing");
    values.push_back(*found[n]);
  }
  return values;
}

}  // namespace

vector3 parse_point(const std::string& option, const std::string& text, spelling_hints& hints) {
  const auto xyz = parse_form<double>({"a point in mm", "z=10,y=0,x=-5", {"x", "y", "z"}, ' '}, option, text, hints);
  return {xyz[2], xyz[1], xyz[0]};
}

std::array<double, 4> parse_plane(const std::string& option, const std::string& text, spelling_hints& hints) {
  const form f{"a plane's normal and offset in mm", "z=1,offset=2", {"x", "y", "z", "offset"}, ' ', true};
  const auto all = parse_form<double>(f, option, text, hints);
  return {all[0], all[1], all[2], all[3]};
}

std::array<std::int64_t, 3> parse_lengths(const std::string& option, const std::string& text, spelling_hints& hints) {
  const form f{"three lengths", "z=8,y=8,x=4", {"x", "y", "z"}, 'x'};
  const auto xyz = parse_form<std::int64_t>(f, option, text, hints);
  for (const std::int64_t length : xyz)
    if (length < 1 || length > longest)
      throw usage_error(fmt::format("{} {}: must be three lengths from 1 to {}", option, text, longest));
  return {xyz[2], xyz[1], xyz[0]};
}

std::string with_axes(const std::array<std::int64_t, 3>& zyx) {
  return fmt::format("z={},y={},x={}", zyx[0], zyx[1], zyx[2]);
}

std::vector<std::string> with_joined_numbers(const std::vector<std::string>& arguments, const std::string& option,
                                             std::size_t most) {
  std::vector<std::string> joined;
  std::size_t at = 0;
  while (at < arguments.size()) {
    const bool alone = arguments[at] == option, with_first = arguments[at].starts_with(option + "=");
    joined.push_back(arguments[at++]);
    if (!alone && !with_first) continue;
    std::string numbers = with_first ? joined.back().substr(option.size() + 1) : std::string();
    std::size_t count = with_first ? 1 : 0;
    if (with_first && !number_in<double>(numbers)) continue;
    for (; at < arguments.size() && count < most && number_in<double>(arguments[at]); ++at, ++count)
      numbers += (count == 0 ? "" : " ") + arguments[at];
    if (with_first)
      joined.back() = option + "=" + numbers;
    else if (count > 0)
      joined.push_back(numbers);
  }
  return joined;
}

}  // namespace osteon::app
