#pragma once
/// @file
/// The exchange in truth: in the order of the ranks, and in the order of the placement.
#include <app/machine/place_graph.hpp>
#include <osteon/placement/place.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct verify_placement_options {
  std::string machine;  ///< machine file; empty: probed
  std::string json;
  int repeats = 8;
  placement::options search;
};

/// Start a rank for each subdomain (unless a launcher has), place them, and measure the exchange before and after.
/// @param words arguments of this program
/// @return the exit code of the program
int verify_placement(const graph_options& source, const verify_placement_options& options,
                     const std::vector<std::string>& words);

}  // namespace osteon::app
