#pragma once
/// @file
/// Text files, read whole or by their lines in a byte range. Serial.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace osteon::io::voxfe {

/// A file's text. @throws data_error if it cannot be read, is no regular file, or is longer than `limit`
std::string read_text(const std::string& path, std::int64_t limit);

/// Bytes of a regular file. @throws data_error
std::int64_t text_size(const std::string& path);

/// The fault of a line that begins at a byte of the file.
struct text_fault {
  std::int64_t offset = 0;
  std::string text;
};

/// Longest line that is read.
inline constexpr std::int64_t longest_line = 4096;

/// Visit whole lines that begin in [begin, end), in blocks. A line that begins earlier belongs to another range.
/// @param visit receives the text of some lines, without the last line end, and its position; a returned value ends the
/// traversal
/// @return the fault of `visit`, or of a too long line
/// @throws data_error if the file cannot be read
/// @cost memory of one block, 1 MiB
std::optional<text_fault> visit_lines(
    const std::string& path, std::int64_t begin, std::int64_t end,
    const std::function<std::optional<text_fault>(std::string_view lines, std::int64_t offset)>& visit);

/// Number of the line, from 1, that begins at a byte of a file. @cost reads the file up to there
std::int64_t line_number(const std::string& path, std::int64_t offset);

}  // namespace osteon::io::voxfe
