#pragma once
/// @file
/// Graphs in files: METIS's text, and JSON.
#include <osteon/placement/graph.hpp>
#include <string>
#include <string_view>

namespace osteon::placement {

/// Value of a JSON graph's "schema".
inline constexpr std::string_view graph_schema = "osteon.graph/1";

/// The graph in a text: JSON if it begins with a brace, METIS's format otherwise.
///
/// JSON has "subdomains" and either "edges", [a, b, bytes] once for each pair, or "sent", [from, to, bytes] for each
/// direction, as a trace has it; of these the mean of both directions counts. Numbers are from 0. METIS's format is read
/// with or without weights of edges; those of vertices are passed over.
/// @param name of the file, for messages
/// @throws data_error where it is no such text, or is not symmetric, or has negative weights
graph parse_graph(std::string_view text, const std::string& name);

/// @throws data_error as parse_graph does, or if the file cannot be read
graph read_graph(const std::string& file);

/// The graph in METIS's format, with weights of edges.
std::string metis_text(const graph& g);

}  // namespace osteon::placement
