#pragma once
/// @file
/// Sets of hardware threads, by the numbers that the operating system gives them.
#include <string>
#include <string_view>
#include <vector>

namespace osteon::machine {

/// Ascending, each once.
using pu_set = std::vector<int>;

/// The largest number of a hardware thread that is believed; more is taken for damage.
inline constexpr int most_pus = 1 << 16;

/// Parse the list format of Linux cgroups, taskset and Slurm: "0-3,8,10-11"; empty is the empty set.
/// @throws data_error where it is none
pu_set parse_pu_list(std::string_view text);

/// The same format: "0-3,8,10-11".
std::string to_list(const pu_set& pus);

/// Those of `a` that are in `b`, and those that are not.
pu_set common(const pu_set& a, const pu_set& b);
pu_set without(const pu_set& a, const pu_set& b);
/// Those of either.
pu_set united(const pu_set& a, const pu_set& b);

}  // namespace osteon::machine
