#include <osteon/base/json_text.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace osteon {

template <class Json>
Json json_from_text(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

template <class Json>
Json json_from_file(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return Json(Json::value_t::discarded);
  std::ifstream file(path);
  return json_from_text<Json>(std::string(std::istreambuf_iterator<char>(file), {}));
}

template <class Json>
Json valid_json_from_text(std::string_view text) {
  return Json::parse(text);
}

template <class Json>
std::string json_to_text(const Json& value, int indent, bool ascii) {
  return value.dump(indent, ' ', ascii, Json::error_handler_t::replace);
}

template nlohmann::json json_from_text(std::string_view);
template nlohmann::json json_from_file(const std::string&);
template nlohmann::json valid_json_from_text(std::string_view);
template std::string json_to_text(const nlohmann::json&, int, bool);
template nlohmann::ordered_json json_from_text(std::string_view);
template nlohmann::ordered_json json_from_file(const std::string&);
template nlohmann::ordered_json valid_json_from_text(std::string_view);
template std::string json_to_text(const nlohmann::ordered_json&, int, bool);

}  // namespace osteon
