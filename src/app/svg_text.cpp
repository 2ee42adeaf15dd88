#include <app/svg_text.hpp>

#include <nlohmann/json.hpp>

namespace osteon::app {

namespace {

// The JSON library knows UTF-8 thoroughly; written out and read again, a text has none but valid sequences.
std::string valid_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

}  // namespace

std::string svg_text(const std::string& words) {
  std::string result;
  for (const char c : valid_utf8(words)) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? "\xEF\xBF\xBD" : std::string(1, c);
    }
  return result;
}

}  // namespace osteon::app
