#pragma once
/// @file
/// Communication graph: subdomains and the bytes between subdomains. Files are in METIS format or JSON.
#include <array>
#include <cstddef>
#include <cstdint>
#include <osteon/base/at.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::placement {

/// An undirected edge.
struct edge {
  int a = 0, b = 0;
  std::int64_t weight = 0;
};

/// A weighted undirected graph in compressed row format. Vertices are subdomains, or groups of subdomains. The weight of an
/// edge is the number of bytes sent in each direction in an exchange. Therefore a network transmits twice the weight of a
/// cut edge.
struct graph {
  std::vector<std::int64_t> begin{0};  ///< begin of each row, and end of the last row; shape (vertices + 1)
  std::vector<std::int32_t> to;        ///< neighbours, ascending in each row; both directions of an edge are listed
  std::vector<std::int64_t> weight;    ///< at least 0

  int size() const { return static_cast<int>(begin.size()) - 1; }
  std::int64_t edges() const { return static_cast<std::int64_t>(to.size()) / 2; }
  std::span<const std::int32_t> neighbours(int v) const { return {to.data() + begin[at(v)], degree(v)}; }
  std::span<const std::int64_t> weights(int v) const { return {weight.data() + begin[at(v)], degree(v)}; }
  std::size_t degree(int v) const { return static_cast<std::size_t>(begin[at(v) + 1] - begin[at(v)]); }
};

/// Create a graph from a list of edges. Weights of parallel edges are added, and loops are omitted.
/// @throws data_error if a vertex does not exist, a weight is negative, or the sum of weights overflows
graph from_edges(int vertices, std::span<const edge> edges);

/// Blocks of a Cartesian grid that exchange their faces.
struct cartesian {
  std::array<int, 3> blocks{1, 1, 1};          ///< along z, y, x; numbered with x fastest
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< cells of a block along z, y, x
  std::int64_t bytes_per_cell = 8;             ///< bytes per cell of a face
  std::array<bool, 3> periodic{};              ///< along z, y, x
};

/// Graph of the face neighbours of a grid.
/// @throws usage_error if a size is not positive, or the number of blocks or bytes is out of range
graph graph_of(const cartesian& grid);

/// Sum of the weights of edges between different parts. @param part part of each vertex
std::int64_t cut(const graph& g, std::span<const int> part);

/// Quotient graph of parts. The weight between two parts is the sum of the weights of all edges between these parts.
graph quotient(const graph& g, std::span<const int> part, int parts);

/// Subgraph induced by the given vertices, which are renumbered in the given order.
graph induced(const graph& g, std::span<const int> vertices);

/// Value of the key "schema" of a JSON graph.
inline constexpr std::string_view graph_schema = "osteon.graph/1";

/// Parse a graph: JSON if the text begins with a brace, otherwise METIS format.
///
/// The JSON format contains "subdomains" and either "edges" or "sent". "edges" lists [a, b, bytes] once for each pair.
/// "sent" lists [from, to, bytes] for each direction, as in a trace. For "sent", the weight is the mean of both directions.
/// Numbering begins at 0. In METIS format, edge weights are optional, and vertex weights are ignored.
/// @param name name of the file, for messages
/// @throws data_error if the text is invalid, the graph is not symmetric, or weights are negative
graph parse_graph(std::string_view text, const std::string& name);

/// Read and parse a graph file. @throws data_error as parse_graph, or if the file cannot be read
graph read_graph(const std::string& file);

/// Convert a graph to METIS format with edge weights.
std::string metis_text(const graph& g);

}  // namespace osteon::placement
