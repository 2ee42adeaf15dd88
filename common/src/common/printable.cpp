#include <common/printable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace osteon {

namespace {

struct character {
  std::uint32_t value = 0;
  std::size_t length = 0;  // bytes; 0: no UTF-8
};

character character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf5 || text.size() < length) return {};
  std::uint32_t value = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    value = value << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, length};
}

// Controls, marks of direction, line ends of other kinds, and what has no width.
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
    const character c = character_at(text);
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
