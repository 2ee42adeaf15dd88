#pragma once
/// @file
/// Reading of text files, complete or by lines in a byte range. Serial.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace osteon::io::voxfe {

/// Read the text of a file. @throws data_error if it cannot be read, is not a regular file, or is longer than `limit`
std::string read_text(const std::string& path, std::int64_t limit);

/// Size of a regular file in bytes. @throws data_error
std::int64_t text_size(const std::string& path);

/// Fault of a line that begins at a byte of the file.
struct text_fault {
  std::int64_t offset = 0;
  std::string text;
};

/// Maximum length of a line.
inline constexpr std::int64_t longest_line = 4096;

/// Visit complete lines that begin in [begin, end), in blocks. A line that begins earlier belongs to another range.
/// @param visit receives the text of some lines, without the last line end, and its position; a returned value ends the
/// traversal
/// @return fault from `visit`, or of a line that is too long
/// @throws data_error if the file cannot be read
/// @cost memory of one block, 1 MiB
std::optional<text_fault> visit_lines(
    const std::string& path, std::int64_t begin, std::int64_t end,
    const std::function<std::optional<text_fault>(std::string_view lines, std::int64_t offset)>& visit);

/// Number of the line, from 1, that begins at a byte of a file. @cost reads the file up to this byte
std::int64_t line_number(const std::string& path, std::int64_t offset);

}  // namespace osteon::io::voxfe
