#pragma once
/// @file
/// The communication graph that is placed: subdomains, and the bytes between them; in files as METIS's text, and as JSON.
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

/// A weighted undirected graph by rows. Vertices are subdomains (or groups of them); a weight is the bytes that one end
/// sends to the other in an exchange, so that a cut edge costs a network twice its weight.
struct graph {
  std::vector<std::int64_t> begin{0};  ///< of each row, and the end of the last; shape (vertices + 1)
  std::vector<std::int32_t> to;        ///< neighbours, ascending in each row; both directions of an edge are listed
  std::vector<std::int64_t> weight;    ///< at least 0

  int size() const { return static_cast<int>(begin.size()) - 1; }
  std::int64_t edges() const { return static_cast<std::int64_t>(to.size()) / 2; }
  std::span<const std::int32_t> neighbours(int v) const { return {to.data() + begin[at(v)], degree(v)}; }
  std::span<const std::int64_t> weights(int v) const { return {weight.data() + begin[at(v)], degree(v)}; }
  std::size_t degree(int v) const { return static_cast<std::size_t>(begin[at(v) + 1] - begin[at(v)]); }
};

/// The graph of some edges; those between the same two vertices are added up, loops are left out.
/// @throws data_error if an end is no vertex, or a weight is negative, or the weights' sum overflows
graph from_edges(int vertices, std::span<const edge> edges);

/// Blocks of a Cartesian grid that exchange their faces.
struct cartesian {
  std::array<int, 3> blocks{1, 1, 1};          ///< along z, y, x; x runs fastest in the numbering
  std::array<std::int64_t, 3> cells{1, 1, 1};  ///< of one block, along z, y, x
  std::int64_t bytes_per_cell = 8;             ///< of a face
  std::array<bool, 3> periodic{};              ///< along z, y, x
};

/// @throws usage_error if a length is not positive, or the number of blocks or of bytes is out of range
graph graph_of(const cartesian& grid);

/// Sum of the weights of the edges between different parts. @param part of each vertex
std::int64_t cut(const graph& g, std::span<const int> part);

/// The graph of the parts: the weight between two is that of all edges between them.
graph quotient(const graph& g, std::span<const int> part, int parts);

/// The graph of some vertices, numbered as they are listed, and the edges between them.
graph induced(const graph& g, std::span<const int> vertices);

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
