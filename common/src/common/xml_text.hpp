#pragma once
/// @file
/// Text of others in XML: SVG, XDMF.
#include <string>
#include <string_view>

namespace osteon {

/// The text as it may stand between tags and in attributes: markup is escaped, and what XML cannot hold (control characters,
/// bytes that are no UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace osteon
