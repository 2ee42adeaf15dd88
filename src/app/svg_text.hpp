#pragma once
#include <string>

namespace osteon::app {

/// Text in the form in which an SVG may hold it, between tags and in attributes: markup is escaped, and what XML cannot hold
/// (control characters, bytes that are no UTF-8) becomes U+FFFD.
std::string svg_text(const std::string& words);

}  // namespace osteon::app
