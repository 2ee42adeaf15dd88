#pragma once
/// @file
/// Regular expressions. Only text_pattern.cpp uses std::regex, because its instantiation needs seconds of compile time.
#include <memory>
#include <string>
#include <vector>

namespace osteon {

class text_pattern {
 public:
  /// @param expression in the grammar of ECMAScript
  explicit text_pattern(const std::string& expression);
  /// Match the whole text. Returns the text and its groups, or an empty list if the text does not match. A group without a
  /// match is empty.
  std::vector<std::string> match(const std::string& text) const;
  /// First group of each match within the text.
  std::vector<std::string> find_all(const std::string& text) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};

}  // namespace osteon
