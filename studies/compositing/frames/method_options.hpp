#pragma once
/// @file
/// Parsed name of a compositing method.
#include <string>

namespace osteon::studies {

struct method_options {
  std::string method;     ///< name without options
  bool sparse = false;    ///< `+sparse`: messages without empty pixels
  bool in_parts = false;  ///< `+parts` or `+none`: final parts remain at their owners
  bool narrow = false;    ///< `+narrow`: partly blended pixels are sent in the format of the picture
  bool checked = false;   ///< `+checked`: find pixels that are not premultiplied
  bool display = false;   ///< `+display`: the finished picture is sent to the last rank, which is the display node
};

method_options read_method(const std::string& name);

}  // namespace osteon::studies
