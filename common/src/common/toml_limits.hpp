#pragma once
/// @file
/// Limits of a TOML text that are checked before it is parsed: the parser goes down one level of its stack for each table
/// in a table.
#include <common/problem.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace osteon {

/// A longer text is no file that a person writes.
constexpr std::size_t largest_toml = std::size_t{16} << 20;
/// Parts of a key (`a.b.c` has 3), and brackets in brackets.
constexpr int deepest_key = 32, deepest_brackets = 32;

/// What is wrong with the text, if it is too long or too deep. @param file its name, for the message
std::optional<problem> beyond_toml_limits(std::string_view text, const std::string& file);

}  // namespace osteon
