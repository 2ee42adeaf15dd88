#include <nlohmann/json.hpp>
#include <osteon/base/json_text.hpp>
#include <osteon/net/json_value.hpp>

namespace osteon::net {

namespace {

using json = nlohmann::ordered_json;

json_value value_of(const json& from, int deepest) {
  using kind = json_value::kind;
  json_value to;
  if (from.is_object() || from.is_array()) {
    to.is = from.is_object() ? kind::object : kind::list;
    to.text = from.is_object() ? "an object" : "a list";
    if (deepest > 0)
      for (auto i = from.begin(); i != from.end(); ++i) {
        if (from.is_object()) to.names.push_back(i.key());
        to.items.push_back(value_of(*i, deepest - 1));
      }
  } else if (from.is_string()) {
    to.is = kind::text;
    to.text = from.get_ref<const std::string&>();
  } else {
    to.text = json_to_text(from);
    if (from.is_boolean()) to.is = kind::boolean, to.truth = from.get<bool>();
    if (from.is_number()) to.is = from.is_number_float() ? kind::real : kind::whole, to.number = from.get<double>();
  }
  return to;
}

}  // namespace

std::optional<json_value> parse_json(const std::string& text) {
  const json parsed = json_from_text<json>(text);
  if (parsed.is_discarded()) return {};
  return value_of(parsed, 16);
}

std::string json_quoted(const std::string& text) { return json_to_text(json(text)); }

}  // namespace osteon::net
