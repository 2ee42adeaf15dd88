#include <common/utf8.hpp>
#include <common/xml_text.hpp>

#include <algorithm>

namespace osteon {

namespace {

// XML 1.0, production 2.
bool is_xml_character(std::uint32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const utf8_character c = first_character(text);
    const std::size_t length = std::max<std::size_t>(c.length, 1);
    if (c.length == 0 || !is_xml_character(c.value))
      result += "\xEF\xBF\xBD";
    else if (c.value == '&')
      result += "&amp;";
    else if (c.value == '<')
      result += "&lt;";
    else if (c.value == '>')
      result += "&gt;";
    else if (c.value == '"')
      result += "&quot;";
    else
      result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace osteon
