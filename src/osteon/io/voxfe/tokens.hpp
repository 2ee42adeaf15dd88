#pragma once
/// @file
/// Parsing of words and numbers in text files (internal to io/voxfe).
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <osteon/base/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::io::voxfe {

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Remove and return the first word of a line. The word is empty at the end of the line.
inline std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  std::size_t length = 0;
  while (length < line.size() && !is_blank(line[length])) ++length;
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(length);
  return word;
}

/// Text for messages: at most 60 characters; characters that are not printable ASCII are replaced by `?`.
inline std::string printable(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, 60)) result += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 60 ? result + "..." : result;
}

/// Convert a word to a number. The function returns false unless the complete word is a number. A leading + is allowed, as
/// in scanf.
template <class T>
bool to_number(std::string_view word, T& value) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-' && word[1] != '+') word.remove_prefix(1);
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc() || end != word.data() + word.size()) return false;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
  return true;
}

/// Lines of a text without blank lines and comments; a byte order mark is skipped.
class lines_of {
 public:
  explicit lines_of(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }
  bool next(std::string_view& line) {
    while (!rest_.empty()) {
      const std::size_t end = rest_.find('\n');
      line = trimmed(rest_.substr(0, end));
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++number_;
      if (!line.empty() && line.front() != '#') return true;
    }
    return false;
  }
  std::int64_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

/// Collects at most 20 faults with file and line, and a note about further faults.
class fault_list {
 public:
  fault_list(const std::string& path, std::vector<problem>& faults) : path_(path), faults_(faults) {}
  void add(std::int64_t line, const std::string& text) {
    constexpr std::size_t most = 20;
    if (faults_.size() < most) faults_.push_back({fmt::format("{}:{}", path_, line), text});
    if (faults_.size() == most) faults_.push_back({path_, "further faults are not listed"});
  }

 private:
  const std::string& path_;
  std::vector<problem>& faults_;
};

}  // namespace osteon::io::voxfe
