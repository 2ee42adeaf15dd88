#pragma once
/// @file
/// JSON text. Only json_text.cpp instantiates the parser and the writer of nlohmann::json and nlohmann::ordered_json. The
/// instantiation of these templates adds a second to the compile time of a source.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace osteon {

/// @return a discarded value if the text is not valid JSON
template <class Json>
Json json_from_text(std::string_view text);

/// @return a discarded value if the file cannot be read or is not valid JSON
template <class Json>
Json json_from_file(const std::string& path);

/// @throws nlohmann::json::parse_error if the text is not valid JSON
template <class Json>
Json valid_json_from_text(std::string_view text);

/// Bytes of strings that are not UTF-8 are replaced.
/// @param indent number of spaces per level; -1: text on one line @param ascii true: escape all characters outside of ASCII
template <class Json>
std::string json_to_text(const Json& value, int indent = -1, bool ascii = false);

}  // namespace osteon
