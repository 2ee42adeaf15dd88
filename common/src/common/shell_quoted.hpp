#pragma once
/// @file
/// Quoting of text for a POSIX shell.
#include <string>

namespace osteon {

/// Text in single quotes.
inline std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace osteon
