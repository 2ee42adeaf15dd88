#pragma once
/// @file
/// Text of others (names, keys, headers, file names) as it may be shown to people.
#include <string>
#include <string_view>

namespace osteon {

/// The text with everything escaped that does something to a terminal or hides what is written: control characters
/// (`\x1b`), marks that turn the direction of writing (`\u202e`) and bytes that are no UTF-8. Line ends and tabs stay.
std::string printable(std::string_view text);

}  // namespace osteon
