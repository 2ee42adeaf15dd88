#pragma once
/// @file
/// Regular expressions. Only text_pattern.cpp includes std::regex, because its instantiation takes several seconds of
/// compile time.
#include <memory>
#include <string>
#include <vector>

namespace osteon {

class text_pattern {
 public:
  /// @param expression regular expression in the grammar of ECMAScript
  explicit text_pattern(const std::string& expression);
  /// Match the whole text with the expression. The function returns the text and its groups. If the text does not match, the
  /// list is empty. A group without a match is empty.
  std::vector<std::string> match(const std::string& text) const;
  /// First group of each match in the text.
  std::vector<std::string> find_all(const std::string& text) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};

}  // namespace osteon
