#pragma once
/// @file
/// Input of `osteon place`: a grid, a graph file, a job or a traced program. This header also declares the picture of a
/// placement (input order left, placement right), and the measurement of the exchange in both orders.
#include <app/command_line.hpp>
#include <optional>
#include <osteon/placement/graph/graph.hpp>
#include <osteon/placement/place.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct graph_options {
  std::string file, grid, cells = "z=64,y=64,x=64", periodic, job;
  std::int64_t bytes_per_cell = 8;
  int ranks = 0;  ///< number of ranks of a job
  bool trace = false;
  std::vector<std::string> program;  ///< program to trace
};

void add_graph_options(command c, graph_options& options);

struct placed_graph {
  placement::graph graph;
  std::optional<placement::cartesian> grid;  ///< if the graph is a grid
  std::string description;                   ///< "grid of z=8,y=8,x=8 blocks of ..."
};

/// @throws usage_error if not exactly one source is given; data_error or machine_error if the source cannot be read or run
placed_graph make_graph(const graph_options& options);

/// Draw as SVG: the slices of a grid with a colour for each host, or the traffic between hosts of another graph.
/// @throws usage_error if the picture is not legible
std::string draw_placement(const placed_graph& source, const placement::target& where, const placement::placement& found);

struct verify_placement_options {
  std::string machine;  ///< machine file; empty: probed
  std::string json;
  int repeats = 8;
  placement::options search;
};

/// Measure the exchange in input order and after placement, with one rank per subdomain. If no launcher has started the
/// ranks, this function starts them.
/// @param arguments arguments of this program
/// @return the exit code of the program
int verify_placement(const graph_options& source, const verify_placement_options& options,
                     const std::vector<std::string>& arguments);

}  // namespace osteon::app
