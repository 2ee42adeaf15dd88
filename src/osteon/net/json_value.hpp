#pragma once
/// @file
/// JSON text as plain values. Readers of JSON that use these values compile without the template-based parser.
#include <optional>
#include <string>
#include <vector>

namespace osteon::net {

struct json_value {
  enum class kind { nothing, boolean, whole, real, text, list, object };

  kind is = kind::nothing;
  bool truth = false;
  double number = 0;               ///< numeric value for the kinds whole and real
  std::string text;                ///< text of a string; JSON text of other scalars; placeholder for lists and objects
  std::vector<std::string> names;  ///< names of the members of an object
  std::vector<json_value> items;   ///< elements of a list, or values of the members of an object

  bool is_number() const { return is == kind::whole || is == kind::real; }
  /// True for a non-empty string.
  bool is_word() const { return is == kind::text && !text.empty(); }
  /// Text of the value for messages.
  std::string shown() const { return is == kind::text ? '"' + text + '"' : text; }
  /// True if the value is this string.
  bool operator==(const char* other) const { return is == kind::text && text == other; }
  /// Member of an object by name. If the member does not exist, the result is null.
  const json_value* find(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return &items[i];
    return nullptr;
  }
};

/// Parse a JSON text. Values at more than 16 levels of nesting are omitted. @return no value if the text is not valid JSON
std::optional<json_value> parse_json(const std::string& text);

/// Quote a text as a JSON string.
std::string json_quoted(const std::string& text);

}  // namespace osteon::net
