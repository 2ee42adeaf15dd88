#pragma once
/// @file
/// What `osteon place` places: from a grid, a file, a job, or a program that is watched.
#include <app/command_line.hpp>
#include <optional>
#include <osteon/placement/graph.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct graph_options {
  std::string file, grid, cells = "z=64,y=64,x=64", periodic, job;
  std::int64_t bytes_per_cell = 8;
  int ranks = 0;  ///< of a job
  bool trace = false;
  std::vector<std::string> program;  ///< to be traced
};

void add_graph_options(command c, graph_options& options);

struct placed_graph {
  placement::graph graph;
  std::optional<placement::cartesian> grid;  ///< of which it is
  std::string words;                         ///< "grid of z=8,y=8,x=8 blocks of ..."
};

/// @throws usage_error if not exactly one source is named; data_error, machine_error where it cannot be read or run
placed_graph make_graph(const graph_options& options);

}  // namespace osteon::app
