#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <osteon/base/error.hpp>
#include <osteon/io/voxfe/text_file.hpp>
#include <vector>

namespace osteon::io::voxfe {
namespace {

constexpr std::int64_t block = std::int64_t{1} << 20;

class opened_file {
 public:
  explicit opened_file(const std::string& path) : path_(path) {
    // O_NONBLOCK prevents waiting for the writer of a pipe. Only regular files can be divided into ranges.
    fd_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat facts{};
    if (fd_ < 0 || fstat(fd_, &facts) != 0) {
      const int error = errno;
      if (fd_ >= 0) close(fd_);
      throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(error)));
    }
    if (!S_ISREG(facts.st_mode)) {
      close(fd_);
      throw data_error(fmt::format("'{}' must be a regular file", path));
    }
    size_ = facts.st_size;
  }
  ~opened_file() { close(fd_); }
  opened_file(const opened_file&) = delete;
  opened_file& operator=(const opened_file&) = delete;

  std::int64_t size() const { return size_; }
  /// Read at most `length` bytes at `offset`. Returns the number of bytes.
  std::int64_t read(char* to, std::int64_t length, std::int64_t offset) const {
    std::int64_t done = 0;
    while (done < length) {
      const ssize_t n = pread(fd_, to + done, static_cast<std::size_t>(length - done), offset + done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw data_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
      if (n == 0) break;
      done += n;
    }
    return done;
  }

 private:
  const std::string& path_;
  int fd_ = -1;
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

std::optional<text_fault> visit_lines(
    const std::string& path, std::int64_t begin, std::int64_t end,
    const std::function<std::optional<text_fault>(std::string_view, std::int64_t)>& visit) {
  const opened_file file(path);
  end = std::min(end, file.size());
  if (begin >= end) return std::nullopt;
  std::vector<char> buffer(static_cast<std::size_t>(std::min(block, end - begin + 1) + longest_line));
  // Begin one byte earlier, because a line begins after a newline.
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
    // Pass all lines that begin in the block; at least one line begins there.
    const std::int64_t first_part = std::min(block, end - at);
    std::size_t stop = text.find('\n', static_cast<std::size_t>(std::min(first_part, length) - 1));
    const bool last = stop == std::string_view::npos && length < first_part + longest_line;
    if (stop == std::string_view::npos && !last) {
      const std::size_t start = text.rfind('\n', static_cast<std::size_t>(first_part - 1));
      const std::int64_t line = start == std::string_view::npos ? at : at + static_cast<std::int64_t>(start) + 1;
      return text_fault{line, fmt::format("line exceeds the limit of {} bytes", longest_line)};
    }
    if (last) stop = text.size();
    if (auto fault = visit(text.substr(0, stop), at)) return fault;
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
