#include <osteon/job/outputs/history.hpp>

#include <algorithm>
#include <osteon/base/json_text.hpp>
#include <utility>
#include <vector>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Add the columns of a list, or the columns of the lists in an object.
void add_columns(const std::string& name, const json& values, std::vector<std::pair<std::string, std::vector<json>>>& to) {
  if (values.is_object()) {
    for (const auto& [key, inner] : values.items()) add_columns(name.empty() ? key : name + "." + key, inner, to);
    return;
  }
  const bool are_vectors = !values.empty() && values.front().is_array();
  for (std::size_t c = 0; c < (are_vectors ? 3 : 1); ++c) {
    std::vector<json> column;
    for (const json& value : values) column.push_back(are_vectors ? value.at(c) : value);
    to.emplace_back(are_vectors ? name + "." + "zyx"[c] : name, std::move(column));
  }
}

// Quote a name that contains a comma or a quotation mark [RFC 4180].
std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\n\r") == std::string::npos) return name;
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string history_table(const json& history) {
  std::vector<std::pair<std::string, std::vector<json>>> columns;
  add_columns("", history, columns);
  std::string text;
  std::size_t rows = 0;
  for (const auto& [name, values] : columns) {
    text += (text.empty() ? "" : ",") + quoted(name);
    rows = std::max(rows, values.size());
  }
  text += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    for (const auto& [name, values] : columns) {
      if (&name != &columns.front().first) line += ",";
      if (row < values.size() && !values[row].is_null()) line += json_to_text(values[row]);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace osteon::job
