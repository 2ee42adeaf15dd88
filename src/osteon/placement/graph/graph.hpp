#pragma once
/// @file
/// Communication graph. Vertices are subdomains, and weights are the bytes sent between subdomains. Files are in METIS
/// format or JSON.
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
/// edge is the number of bytes that an exchange sends in each direction. A network therefore transmits twice the weight of a
/// cut edge.
struct graph {
  std::vector<std::int64_t> begin{0};  ///< begin of each row, followed by the end of the last row; shape (vertices + 1)
  /// neighbours in ascending order in each row; the list contains both directions of an edge
  std::vector<std::int32_t> to;
  std::vector<std::int64_t> weight;  ///< at least 0

  int size() const { return static_cast<int>(begin.size()) - 1; }
  std::int64_t edges() const { return static_cast<std::int64_t>(to.size()) / 2; }
  std::span<const std::int32_t> neighbours(int v) const { return {to.data() + begin[at(v)], degree(v)}; }
  std::span<const std::int64_t> weights(int v) const { return {weight.data() + begin[at(v)], degree(v)}; }
  std::size_t degree(int v) const { return static_cast<std::size_t>(begin[at(v) + 1] - begin[at(v)]); }
};

/// Create a graph from a list of edges. The weights of parallel edges are added. Loops are omitted.
/// @throws data_error if a vertex does not exist, if a weight is negative, or if the sum of weights overflows
graph from_edges(int vertices, std::span<const edge> edges);

/// Blocks of a Cartesian grid that exchange their faces.
struct cartesian {
  std::array<int, 3> blocks{1, 1, 1};          ///< number of blocks along z, y, x; blocks are numbered with x fastest
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< number of cells of a block along z, y, x
  std::int64_t bytes_per_cell = 8;             ///< bytes per cell of a face
  std::array<bool, 3> periodic{};              ///< true for periodic axes, in the order z, y, x
};

/// Graph of the face neighbours of a grid.
/// @throws usage_error if a size is not positive, or if the number of blocks or bytes is out of range
graph graph_of(const cartesian& grid);

/// Sum of the weights of edges between different parts. @param part part of each vertex
std::int64_t cut(const graph& g, std::span<const int> part);

/// Quotient graph of parts. The weight between two parts is the sum of the weights of all edges between these parts.
graph quotient(const graph& g, std::span<const int> part, int parts);

/// Subgraph of the given vertices. The vertices are renumbered in the given order.
graph induced(const graph& g, std::span<const int> vertices);

/// Value of the key "schema" of a JSON graph.
inline constexpr std::string_view graph_schema = "osteon.graph/1";

/// Parse a graph. A text that begins with a brace is JSON. Other texts have the METIS format.
///
/// The JSON format contains "subdomains" and either "edges" or "sent". "edges" lists [a, b, bytes] once for each pair.
/// "sent" lists [from, to, bytes] for each direction, like a trace. The weight of a pair in "sent" is the mean of both
/// directions. Numbering begins at 0. In METIS format, edge weights are optional. Vertex weights are ignored.
/// @param name name of the file for messages
/// @throws data_error if the text is invalid, if the graph is not symmetric, or if weights are negative
graph parse_graph(std::string_view text, const std::string& name);

/// Read and parse a graph file. @throws data_error in the cases of parse_graph, and if the file cannot be read
graph read_graph(const std::string& file);

/// Convert a graph to METIS format with edge weights.
std::string metis_text(const graph& g);

}  // namespace osteon::placement
