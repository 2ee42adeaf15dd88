#pragma once
/// @file
/// Safe display of external text. Such text is, for example, a name, a key, a header or a file name.
#include <string>
#include <string_view>

namespace osteon {

/// Escape characters that control a terminal, or that hide other text. The function escapes control characters (`\x1b`),
/// bidirectional marks (`\u202e`) and bytes of invalid UTF-8. Line ends and tabs are preserved.
std::string printable(std::string_view text);

}  // namespace osteon
