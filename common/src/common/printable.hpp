#pragma once
/// @file
/// Safe display of external text, such as names, keys, headers and file names.
#include <string>
#include <string_view>

namespace osteon {

/// Escape characters that control a terminal or hide other text. These characters are control characters (`\x1b`),
/// bidirectional marks (`\u202e`) and bytes that are not valid UTF-8. Line ends and tabs are preserved.
std::string printable(std::string_view text);

}  // namespace osteon
