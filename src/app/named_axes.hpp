#pragma once
/// @file
/// Option values with named axes, such as `z=10,y=0,x=-5`, in any order. The older form of plain numbers along x, y, z is
/// accepted with a hint.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <string>
#include <vector>

namespace osteon::app {

/// Hints on the older form. A command prints each hint once.
using spelling_hints = std::vector<std::string>;

/// Parse `z=10,y=0,x=-5`, or the older `-5 0 10`.
/// @param option name of the option for messages, such as "--eye" @throws usage_error that shows the correct form
vector3 parse_point(const std::string& option, const std::string& text, spelling_hints& hints);

/// Parse `z=1,offset=2`, or the older `0 0 1 2`. Missing components of the normal are 0.
/// @return the normal's x, y, z and the offset
std::array<double, 4> parse_plane(const std::string& option, const std::string& text, spelling_hints& hints);

/// Parse `z=8,y=8,x=4`, or the older `4x8x8`. Each number is at least 1. @return z, y, x
std::array<std::int64_t, 3> parse_lengths(const std::string& option, const std::string& text, spelling_hints& hints);

/// Format lengths as `z=8,y=8,x=4`.
std::string with_axes(const std::array<std::int64_t, 3>& zyx);

/// Join the plain numbers after an option to one word: `--eye 1 2 3` becomes `--eye`, `1 2 3`.
/// @param most maximum number of numbers per option
std::vector<std::string> with_joined_numbers(const std::vector<std::string>& arguments, const std::string& option,
                                             std::size_t most);

}  // namespace osteon::app
