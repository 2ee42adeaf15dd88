#pragma once
/// @file
/// Sets of hardware threads, with the numbers of the operating system.
#include <string>
#include <string_view>
#include <vector>

namespace osteon::machine {

/// Hardware thread numbers, ascending and unique.
using pu_set = std::vector<int>;

/// Upper limit of hardware thread numbers. Larger numbers are treated as damaged input.
inline constexpr int most_pus = 1 << 16;

/// Parse the list format of Linux cgroups, taskset and Slurm, for example "0-3,8,10-11". An empty text is the empty set.
/// @throws data_error if the text is invalid
pu_set parse_pu_list(std::string_view text);

/// Format a set as a list, for example "0-3,8,10-11".
std::string to_list(const pu_set& pus);

/// Intersection of `a` and `b`, and difference `a` minus `b`.
pu_set common(const pu_set& a, const pu_set& b);
pu_set without(const pu_set& a, const pu_set& b);
/// Union of `a` and `b`.
pu_set united(const pu_set& a, const pu_set& b);

}  // namespace osteon::machine
