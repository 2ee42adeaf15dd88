#include <common/printable.hpp>
#include <common/utf8.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace osteon {

namespace {

// True for control characters, bidirectional marks, other line separators and zero-width characters.
bool is_harmful(std::uint32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xe0000 && c < 0xe0080);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const utf8_character c = first_character(text);
    const std::size_t length = std::max<std::size_t>(c.length, 1);
    if (c.length == 0)
      shown += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
    else if (!is_harmful(c.value))
      shown += text.substr(0, length);
    else if (c.value < 0x80)
      shown += fmt::format("\\x{:02x}", c.value);
    else
      shown += fmt::format("\\u{:04x}", c.value);
    text.remove_prefix(length);
  }
  return shown;
}

}  // namespace osteon
