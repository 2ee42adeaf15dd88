#pragma once
/// @file
/// Decoding of UTF-8 text that may be invalid.
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace osteon {

struct utf8_character {
  std::uint32_t value = 0;  ///< code point
  std::size_t length = 0;   ///< length in bytes; 0 if the first character of the text is invalid
};

/// Decode the first character of a text. Overlong forms, surrogates and values above U+10FFFF are invalid. @param text text
/// that is not empty
constexpr utf8_character first_character(std::string_view text) {
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

}  // namespace osteon
