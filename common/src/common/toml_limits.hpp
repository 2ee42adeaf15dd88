#pragma once
/// @file
/// Limits of a TOML text. The limits are checked before parsing, because the parser recurses for each nested table.
#include <common/problem.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace osteon {

/// Maximum length in bytes. Manually written files are shorter.
constexpr std::size_t largest_toml = std::size_t{16} << 20;
/// Maximum number of parts of a key (`a.b.c` has 3 parts), and maximum depth of nested brackets.
constexpr int deepest_key = 32, deepest_brackets = 32;

/// Problem of a text that is too long or too deeply nested. @param file file name for the message
std::optional<problem> beyond_toml_limits(std::string_view text, const std::string& file);

}  // namespace osteon
