#pragma once
/// @file
/// The name of a way to composite, taken apart.
#include <string>

namespace osteon::studies {

struct way_words {
  std::string method;     ///< without what stands behind it
  bool sparse = false;    ///< `+sparse`: messages hold only what is not empty
  bool in_parts = false;  ///< `+parts` or `+none`: finished parts stay where they are
  bool narrow = false;    ///< `+narrow`: what is half blended travels in the picture's own format
  bool checked = false;   ///< `+checked`: look for pixels that are not premultiplied
  bool display = false;   ///< `+display`: the finished picture goes on to the last rank, the display node
};

way_words read_way(const std::string& name);

}  // namespace osteon::studies
