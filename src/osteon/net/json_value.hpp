#pragma once
/// @file
/// A JSON text as plain values: its readers are compiled without the parser, which is templates throughout.
#include <optional>
#include <string>
#include <vector>

namespace osteon::net {

struct json_value {
  enum class kind { nothing, boolean, whole, real, text, list, object };

  kind is = kind::nothing;
  bool truth = false;
  double number = 0;               ///< of whole and real
  std::string text;                ///< string value; of other scalars their JSON text; of lists and objects a placeholder
  std::vector<std::string> names;  ///< of an object's members
  std::vector<json_value> items;   ///< of a list; of an object's members

  bool is_number() const { return is == kind::whole || is == kind::real; }
  /// A text that is not empty.
  bool is_word() const { return is == kind::text && !text.empty(); }
  /// For a message.
  std::string shown() const { return is == kind::text ? '"' + text + '"' : text; }
  /// Is this the text?
  bool operator==(const char* other) const { return is == kind::text && text == other; }
  /// A member of an object; none if there is none of this name.
  const json_value* find(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return &items[i];
    return nullptr;
  }
};

/// Read a text. Values nested more than 16 deep are left out. @return none if it is not valid JSON
std::optional<json_value> parse_json(const std::string& text);

/// A text in quotation marks, as JSON has it.
std::string json_quoted(const std::string& text);

}  // namespace osteon::net
