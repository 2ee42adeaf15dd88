#include <fmt/format.h>

#include <app/job/image_size.hpp>
#include <charconv>
#include <osteon/base/error.hpp>

namespace osteon::app {

int parse_number(std::string_view word, const std::string& option) {
  int value = 0;
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc() || end != word.data() + word.size() || value < 0)
    throw usage_error(fmt::format("{}: '{}' must be a non-negative integer", option, word));
  return value;
}

image_size parse_image_size(const std::string& text) {
  const auto times = text.find('x');
  if (times == std::string::npos) return {parse_number(text, "--pixels"), 1};
  const std::string_view view = text;
  return {parse_number(view.substr(0, times), "--pixels"), parse_number(view.substr(times + 1), "--pixels")};
}

}  // namespace osteon::app
