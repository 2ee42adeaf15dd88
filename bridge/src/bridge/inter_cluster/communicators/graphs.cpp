/// @file
/// Graphs of ranks in several clusters. Ranks are never reordered.
#include <algorithm>
#include <array>
#include <bridge/inter_cluster/collectives/collectives.hpp>

namespace osteon::bridge {
namespace {

int graph_create(MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Graph_create(comm, n, index, edges, reorder, out);
  if (n < 0 || n > c->size()) return raise(c, MPI_ERR_ARG);
  const int edge_count = n > 0 ? index[n - 1] : 0;
  if (std::any_of(edges, edges + edge_count, [&](int r) { return r < 0 || r >= n; })) return raise(c, MPI_ERR_ARG);
  MPI_Comm made = MPI_COMM_NULL;
  if (const int e = split(c, c->rank < n ? 0 : MPI_UNDEFINED, c->rank, &made)) return e;
  *out = made;
  if (made == MPI_COMM_NULL) return MPI_SUCCESS;
  if (communicator* m = find(made)) {
    m->layout.edges = std::make_shared<graph>(graph{{index, index + n}, {edges, edges + edge_count}});
    return MPI_SUCCESS;
  }
  const int e = vendor().Graph_create(made, n, index, edges, 0, out);
  vendor().Comm_free(&made);
  return e;
}

/// The graph of a communicator of the bridge. For a communicator of the vendor, the result is null. For a communicator of
/// the bridge without a graph, `error` is set.
template <auto which>
auto graph_of(MPI_Comm comm, int& error) {
  communicator* c = find(comm);
  error = c && !(c->layout.*which) ? raise(c, MPI_ERR_TOPOLOGY) : MPI_SUCCESS;
  return c ? (c->layout.*which).get() : nullptr;
}

int graphdims_get(MPI_Comm comm, int* nodes, int* edges) {
  int error = 0;
  const graph* g = graph_of<&topology::edges>(comm, error);
  if (error) return error;
  if (!g) return vendor().Graphdims_get(comm, nodes, edges);
  *nodes = static_cast<int>(g->index.size());
  *edges = static_cast<int>(g->edges.size());
  return MPI_SUCCESS;
}

void copy_some(const std::vector<int>& from, int most, int to[]) {
  std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(most, 0))), to);
}

int graph_get(MPI_Comm comm, int most_nodes, int most_edges, int index[], int edges[]) {
  int error = 0;
  const graph* g = graph_of<&topology::edges>(comm, error);
  if (error) return error;
  if (!g) return vendor().Graph_get(comm, most_nodes, most_edges, index, edges);
  copy_some(g->index, most_nodes, index);
  copy_some(g->edges, most_edges, edges);
  return MPI_SUCCESS;
}

std::vector<int> edges_at(const graph& g, int rank) {
  const auto r = static_cast<std::size_t>(rank);
  return {g.edges.begin() + (rank == 0 ? 0 : g.index[r - 1]), g.edges.begin() + g.index[r]};
}

int graph_neighbors_count(MPI_Comm comm, int rank, int* n) {
  int error = 0;
  const graph* g = graph_of<&topology::edges>(comm, error);
  if (error) return error;
  if (!g) return vendor().Graph_neighbors_count(comm, rank, n);
  if (rank < 0 || rank >= find(comm)->size()) return raise(find(comm), MPI_ERR_RANK);
  *n = static_cast<int>(edges_at(*g, rank).size());
  return MPI_SUCCESS;
}

int graph_neighbors(MPI_Comm comm, int rank, int most, int neighbors[]) {
  int error = 0;
  const graph* g = graph_of<&topology::edges>(comm, error);
  if (error) return error;
  if (!g) return vendor().Graph_neighbors(comm, rank, most, neighbors);
  if (rank < 0 || rank >= find(comm)->size()) return raise(find(comm), MPI_ERR_RANK);
  copy_some(edges_at(*g, rank), most, neighbors);
  return MPI_SUCCESS;
}

int graph_map(MPI_Comm comm, int n, const int index[], const int edges[], int* rank) {
  communicator* c = find(comm);
  if (!c) return vendor().Graph_map(comm, n, index, edges, rank);
  *rank = c->rank < n ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/// A communicator with the same members and with the given edges.
int with_edges(communicator* c, distributed_graph edges, MPI_Comm* out) {
  if (const int e = split(c, 0, c->rank, out)) return e;
  find(*out)->layout.own_edges = std::make_shared<distributed_graph>(std::move(edges));
  return MPI_SUCCESS;
}

bool are_ranks(const communicator* c, const int* ranks, int n) {
  return std::all_of(ranks, ranks + n, [&](int r) { return r >= 0 && r < c->size(); });
}

int dist_graph_create_adjacent(MPI_Comm comm, int n_in, const int sources[], const int source_weights[], int n_out,
                               const int destinations[], const int destination_weights[], MPI_Info info, int reorder,
                               MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c)
    return vendor().Dist_graph_create_adjacent(comm, n_in, sources, source_weights, n_out, destinations, destination_weights,
                                               info, reorder, out);
  if (n_in < 0 || n_out < 0) return raise(c, MPI_ERR_ARG);
  if (!are_ranks(c, sources, n_in) || !are_ranks(c, destinations, n_out)) return raise(c, MPI_ERR_RANK);
  distributed_graph g;
  g.weighted = source_weights != MPI_UNWEIGHTED && destination_weights != MPI_UNWEIGHTED;
  g.sources.assign(sources, sources + n_in);
  g.destinations.assign(destinations, destinations + n_out);
  if (g.weighted && n_in > 0) g.source_weights.assign(source_weights, source_weights + n_in);
  if (g.weighted && n_out > 0) g.destination_weights.assign(destination_weights, destination_weights + n_out);
  return with_edges(c, std::move(g), out);
}

/// Exchange all known edges, and keep the edges of this rank.
int dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                      const int weights[], MPI_Info info, int reorder, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder, out);
  const bool weighted = weights != MPI_UNWEIGHTED;
  using edge = std::array<int, 3>;  // from, to and weight
  std::vector<edge> mine;
  if (c->inter) return raise(c, MPI_ERR_COMM);
  if (n < 0 || !are_ranks(c, sources, n)) return raise(c, MPI_ERR_ARG);
  for (int i = 0, k = 0; i < n; ++i)
    for (const int end = k + degrees[i]; k < end; ++k)
      mine.push_back({sources[i], destinations[k], weighted ? weights[k] : 0});
  for (const edge& e : mine)
    if (!are_ranks(c, &e[1], 1)) return raise(c, MPI_ERR_RANK);
  drain_collectives(c);
  std::vector<int> counts(c->world.size()), places;
  const int count = 3 * static_cast<int>(mine.size());
  if (const int e = blocking_allgather(c, &count, 1, MPI_INT, counts.data())) return e;
  int total = 0;
  for (const int k : counts) places.push_back(total), total += k;
  std::vector<edge> all(static_cast<std::size_t>(total / 3));
  if (const int e = allgatherv(mine.data(), count, MPI_INT, all.data(), {c, counts, places}, MPI_INT, c, nullptr)) return e;
  distributed_graph g;
  g.weighted = weighted;
  for (const auto& [from, to, weight] : all) {
    if (to == c->rank) g.sources.push_back(from), g.source_weights.push_back(weight);
    if (from == c->rank) g.destinations.push_back(to), g.destination_weights.push_back(weight);
  }
  return with_edges(c, std::move(g), out);
}

int dist_graph_neighbors_count(MPI_Comm comm, int* n_in, int* n_out, int* weighted) {
  int error = 0;
  const distributed_graph* g = graph_of<&topology::own_edges>(comm, error);
  if (error) return error;
  if (!g) return vendor().Dist_graph_neighbors_count(comm, n_in, n_out, weighted);
  *n_in = static_cast<int>(g->sources.size());
  *n_out = static_cast<int>(g->destinations.size());
  *weighted = g->weighted;
  return MPI_SUCCESS;
}

int dist_graph_neighbors(MPI_Comm comm, int most_in, int sources[], int source_weights[], int most_out, int destinations[],
                         int destination_weights[]) {
  int error = 0;
  const distributed_graph* g = graph_of<&topology::own_edges>(comm, error);
  if (error) return error;
  if (!g)
    return vendor().Dist_graph_neighbors(comm, most_in, sources, source_weights, most_out, destinations,
                                         destination_weights);
  copy_some(g->sources, most_in, sources);
  copy_some(g->destinations, most_out, destinations);
  if (!g->weighted) return MPI_SUCCESS;
  if (source_weights != MPI_UNWEIGHTED) copy_some(g->source_weights, most_in, source_weights);
  if (destination_weights != MPI_UNWEIGHTED) copy_some(g->destination_weights, most_out, destination_weights);
  return MPI_SUCCESS;
}

}  // namespace

void install_graphs(slots& s) noexcept {
  s.Graph_create = graph_create;
  s.Graphdims_get = graphdims_get;
  s.Graph_get = graph_get;
  s.Graph_neighbors_count = graph_neighbors_count;
  s.Graph_neighbors = graph_neighbors;
  s.Graph_map = graph_map;
  s.Dist_graph_create = dist_graph_create;
  s.Dist_graph_create_adjacent = dist_graph_create_adjacent;
  s.Dist_graph_neighbors_count = dist_graph_neighbors_count;
  s.Dist_graph_neighbors = dist_graph_neighbors;
}

}  // namespace osteon::bridge
