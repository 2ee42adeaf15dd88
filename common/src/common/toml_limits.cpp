#include <common/toml_limits.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace osteon {

namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// End of the quoted text at the front. Unterminated text ends with its line or with the file.
std::size_t end_of_quoted(std::string_view text) {
  const char quote = text[0];
  const bool long_one = text.size() >= 3 && text[1] == quote && text[2] == quote;
  const std::size_t width = long_one ? 3 : 1;
  const std::string close(width, quote);
  for (std::size_t i = width; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text.compare(i, width, close) == 0) {
      return i + width;
    } else if (text[i] == '\n' && !long_one) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

std::optional<problem> beyond_toml_limits(std::string_view text, const std::string& file) {
  if (text.size() > largest_toml)
    return problem{file, fmt::format("{} bytes; the limit for TOML files is {}", text.size(), largest_toml)};
  std::size_t line = 1, at = 0;
  int parts = 0, depth = 0;  // number of parts of the current key, and number of open brackets
  bool after_dot = false;    // true if the next word belongs to the previous key
  const auto fault = [&](const char* excess, int limit) {
    return problem{fmt::format("{}:{}", file, line), fmt::format("{} than {}; use fewer nested tables", excess, limit)};
  };
  while (at < text.size()) {
    const char c = text[at];
    std::size_t length = 1;
    if (is_bare(c) || c == '"' || c == '\'') {
      if (is_bare(c))
        while (at + length < text.size() && is_bare(text[at + length])) ++length;
      else
        length = end_of_quoted(text.substr(at));
      parts = after_dot ? parts + 1 : 1;
      after_dot = false;
      if (parts > deepest_key) return fault("a key has more parts", deepest_key);
    } else if (c == '.') {
      after_dot = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_brackets) return fault("brackets are nested deeper", deepest_brackets);
    } else if (c == ']' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == '#') {
      while (at + length < text.size() && text[at + length] != '\n') ++length;
    }
    if (c != ' ' && c != '\t' && c != '.' && !is_bare(c) && c != '"' && c != '\'') after_dot = false;
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                text.begin() + static_cast<std::ptrdiff_t>(at + length), '\n'));
    at += length;
  }
  return std::nullopt;
}

}  // namespace osteon
