#include <osteon/base/text_pattern.hpp>

#include <regex>

namespace osteon {

struct text_pattern::compiled {
  std::regex expression;
};

text_pattern::text_pattern(const std::string& expression)
    : compiled_(std::make_shared<const compiled>(compiled{std::regex(expression)})) {}

std::vector<std::string> text_pattern::match(const std::string& text) const {
  std::smatch found;
  if (!std::regex_match(text, found, compiled_->expression)) return {};
  return {found.begin(), found.end()};
}

std::vector<std::string> text_pattern::find_all(const std::string& text) const {
  std::vector<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), compiled_->expression), end; match != end; ++match)
    all.push_back((*match)[1]);
  return all;
}

}  // namespace osteon
