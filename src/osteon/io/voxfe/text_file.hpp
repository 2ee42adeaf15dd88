#pragma once
/// @file
/// Serial reading of text files: complete files, or the lines in a byte range.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace osteon::io::voxfe {

/// Read a file. @throws data_error if the file cannot be read, is not a regular file, or is longer than `limit` bytes
std::string read_text(const std::string& path, std::int64_t limit);

/// Size of a regular file in bytes. @throws data_error
std::int64_t text_size(const std::string& path);

/// Fault of a line; `offset` is the first byte of the line.
struct text_fault {
  std::int64_t offset = 0;
  std::string text;
};

/// Maximum length of a line.
inline constexpr std::int64_t longest_line = 4096;

/// Process complete lines that begin in [begin, end), in blocks. A line belongs to the range in which it begins.
/// @param process function of the text of some lines (without the last newline) and the offset of the text; a returned fault
/// ends the traversal
/// @return fault returned by `process`, or fault of a line that is too long
/// @throws data_error if the file cannot be read
/// @cost memory of one block, 1 MiB
std::optional<text_fault> for_each_line_block(
    const std::string& path, std::int64_t begin, std::int64_t end,
    const std::function<std::optional<text_fault>(std::string_view lines, std::int64_t offset)>& process);

/// Line number, from 1, of the line that begins at an offset. @cost reads the file up to the offset
std::int64_t line_number(const std::string& path, std::int64_t offset);

}  // namespace osteon::io::voxfe
