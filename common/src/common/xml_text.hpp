#pragma once
/// @file
/// External text in XML files, such as SVG and XDMF.
#include <string>
#include <string_view>

namespace osteon {

/// Escape text for elements and attributes of XML. Characters that are invalid in XML (control characters, invalid UTF-8)
/// are replaced by U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace osteon
