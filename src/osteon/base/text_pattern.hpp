#pragma once
/// @file
/// Regular expressions. std::regex is used in text_pattern.cpp only, because its instantiation takes seconds of the
/// compiler.
#include <memory>
#include <string>
#include <vector>

namespace osteon {

class text_pattern {
 public:
  /// @param expression in the grammar of ECMAScript
  explicit text_pattern(const std::string& expression);
  /// Match of the whole text: the text and its groups; empty: no match. A group without a match is empty.
  std::vector<std::string> match(const std::string& text) const;
  /// First group of each match within the text.
  std::vector<std::string> find_all(const std::string& text) const;

 private:
  struct compiled;
  std::shared_ptr<const compiled> compiled_;
};

}  // namespace osteon
