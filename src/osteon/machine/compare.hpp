#pragma once
/// @file
/// A machine then and now.
#include <osteon/machine/links.hpp>
#include <string>
#include <vector>

namespace osteon::machine {

/// Differences between two measurements.
struct change {
  std::string what;            ///< "host n2", "link n0 - n1", "inter-socket"
  double before = 0, now = 0;  ///< bytes per second
};

struct comparison {
  std::vector<std::string> gone, fresh;  ///< hosts of only one of the two
  std::vector<change> slower;            ///< below `slow_below` times the old value; worst first
};

/// Compare the hosts that both have: classes inside hosts, hosts by the median of their links, and links between hosts that
/// did not become slower as a whole. Isolated figures, or loaded ones where only these are in both.
comparison compare(const description& before, const description& now, double slow_below);

}  // namespace osteon::machine
