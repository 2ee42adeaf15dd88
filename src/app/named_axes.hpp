#pragma once
/// @file
/// Values of options that name their axes, as `z=10,y=0,x=-5`: in any order, so that none must be known. The older form,
/// plain numbers along x, y, z, is taken with a hint.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <string>
#include <vector>

namespace osteon::app {

/// Hints on the older form; a command shows them once.
using spelling_hints = std::vector<std::string>;

/// `z=10,y=0,x=-5`, or as it was: `-5 0 10`.
/// @param option as "--eye", for what is said @throws usage_error that shows the form
vector3 parse_point(const std::string& option, const std::string& text, spelling_hints& hints);

/// `z=1,offset=2`, or as it was: `0 0 1 2`. Axes of the normal that are not named are 0.
/// @return the normal's x, y, z and the offset
std::array<double, 4> parse_plane(const std::string& option, const std::string& text, spelling_hints& hints);

/// `z=8,y=8,x=4`, or as it was: `4x8x8`. Each is at least 1. @return z, y, x
std::array<std::int64_t, 3> parse_lengths(const std::string& option, const std::string& text, spelling_hints& hints);

/// `z=8,y=8,x=4`
std::string with_axes(const std::array<std::int64_t, 3>& zyx);

/// Words of a command line, with plain numbers behind an option as one word: `--eye 1 2 3` becomes `--eye`, `1 2 3`.
/// @param most so many numbers of each option's value
std::vector<std::string> with_joined_numbers(const std::vector<std::string>& words, const std::string& option,
                                             std::size_t most);

}  // namespace osteon::app
