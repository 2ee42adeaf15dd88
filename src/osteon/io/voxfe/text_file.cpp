#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <osteon/io/voxfe/text_file.hpp>
#include <vector>

namespace osteon::io::voxfe {
namespace {

constexpr std::int64_t block = std::int64_t{1} << 20;

class opened_file {
 public:
  // O_NONBLOCK prevents waiting for the writer of a pipe. Pipes are rejected, because only regular files can be divided into
  // ranges.
  explicit opened_file(const std::string& path) : path_(path), file_(path, O_RDONLY | O_NONBLOCK) {
    struct stat facts{};
    if (file_ < 0 || fstat(file_, &facts) != 0)
      throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    if (!S_ISREG(facts.st_mode)) throw data_error(fmt::format("'{}' must be a regular file", path));
    size_ = facts.st_size;
  }

  std::int64_t size() const { return size_; }
  /// Read at most `length` bytes at `offset`. The function returns the number of bytes.
  std::int64_t read(char* to, std::int64_t length, std::int64_t offset) const {
    const std::int64_t count = read_at(file_, to, length, offset);
    if (count < 0) throw data_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
    return count;
  }

 private:
  const std::string& path_;
  file_descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace

std::int64_t text_size(const std::string& path) { return opened_file(path).size(); }

std::string read_text(const std::string& path, std::int64_t limit) {
  const opened_file file(path);
  if (file.size() > limit)
    throw data_error(fmt::format("'{}': file size of {} bytes exceeds the limit of {} bytes", path, file.size(), limit));
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(static_cast<std::size_t>(file.read(text.data(), file.size(), 0)));
  return text;
}

std::optional<text_fault> for_each_line_block(
    const std::string& path, std::int64_t begin, std::int64_t end,
    const std::function<std::optional<text_fault>(std::string_view, std::int64_t)>& process) {
  const opened_file file(path);
  end = std::min(end, file.size());
  if (begin >= end) return std::nullopt;
  std::vector<char> buffer(static_cast<std::size_t>(std::min(block, end - begin + 1) + longest_line));
  // Begin one byte earlier, because the byte before a line is a newline.
  std::int64_t at = begin;
  bool skipping = begin > 0;
  if (skipping) --at;
  while (at < end) {
    // Lines that begin before `end` may extend beyond `end`.
    const std::int64_t length = file.read(buffer.data(), std::min(block, end - at) + longest_line, at);
    if (length == 0) return std::nullopt;  // the file was truncated; the caller detects a wrong number of elements
    const std::string_view text(buffer.data(), static_cast<std::size_t>(length));
    if (skipping) {
      const std::size_t line_end = text.find('\n');
      if (line_end == std::string_view::npos) {
        at += length;
        continue;
      }
      at += static_cast<std::int64_t>(line_end) + 1;
      skipping = false;
      continue;
    }
    // Pass all lines that begin in the block. At least one line begins in each block.
    const std::int64_t first_part = std::min(block, end - at);
    std::size_t stop = text.find('\n', static_cast<std::size_t>(std::min(first_part, length) - 1));
    const bool last = stop == std::string_view::npos && length < first_part + longest_line;
    if (stop == std::string_view::npos && !last) {
      const std::size_t start = text.rfind('\n', static_cast<std::size_t>(first_part - 1));
      const std::int64_t line = start == std::string_view::npos ? at : at + static_cast<std::int64_t>(start) + 1;
      return text_fault{line, fmt::format("line exceeds the limit of {} bytes", longest_line)};
    }
    if (last) stop = text.size();
    if (auto fault = process(text.substr(0, stop), at)) return fault;
    at += static_cast<std::int64_t>(stop) + 1;
  }
  return std::nullopt;
}

std::int64_t line_number(const std::string& path, std::int64_t offset) {
  const opened_file file(path);
  std::vector<char> buffer(static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, block)));
  std::int64_t number = 1;
  for (std::int64_t at = 0; at < offset;) {
    const std::int64_t length = file.read(buffer.data(), std::min(block, offset - at), at);
    if (length == 0) break;
    number += std::count(buffer.begin(), buffer.begin() + length, '\n');
    at += length;
  }
  return number;
}

}  // namespace osteon::io::voxfe
