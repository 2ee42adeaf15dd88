#pragma once
/// @file
/// PNG pictures (by libpng).
#include <cstdint>
#include <span>
#include <string>

namespace osteon::io {

/// Write 8-bit RGBA, rows from top to bottom, under a temporary name and rename it when it is complete.
/// @param rgba shape (height, width, 4), straight (not premultiplied) alpha
/// @throws machine_error if the file cannot be written
void write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgba);

}  // namespace osteon::io
