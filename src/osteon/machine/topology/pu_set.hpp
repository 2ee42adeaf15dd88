#pragma once
/// @file
/// Sets of hardware threads, numbered as by the operating system.
#include <string>
#include <string_view>
#include <vector>

namespace osteon::machine {

/// Ascending and unique.
using pu_set = std::vector<int>;

/// Upper limit of hardware thread numbers; larger numbers are treated as damaged input.
inline constexpr int most_pus = 1 << 16;

/// Parse the list format of Linux cgroups, taskset and Slurm: "0-3,8,10-11"; empty is the empty set.
/// @throws data_error if the text is invalid
pu_set parse_pu_list(std::string_view text);

/// Format as "0-3,8,10-11".
std::string to_list(const pu_set& pus);

/// Intersection of `a` and `b`, and difference `a` without `b`.
pu_set common(const pu_set& a, const pu_set& b);
pu_set without(const pu_set& a, const pu_set& b);
/// Union of `a` and `b`.
pu_set united(const pu_set& a, const pu_set& b);

}  // namespace osteon::machine
