#pragma once
/// @file
/// Image sizes on the command line.
#include <cstdint>
#include <string>
#include <string_view>

namespace osteon::app {

struct image_size {
  std::int64_t width = 0, height = 1;
  std::int64_t pixels() const { return width * height; }
};

/// Parse WIDTHxHEIGHT, or a single number as the pixels of one row.
/// @throws usage_error that names `--pixels`
image_size parse_image_size(const std::string& text);

/// Parse a non-negative integer. @throws usage_error that names the option
int parse_number(std::string_view word, const std::string& option);

}  // namespace osteon::app
