/// @file
/// Neighbourhood collectives over several clusters. Each edge has one message.
#include <bridge/inter_cluster/collectives/collectives.hpp>
#include <bridge/inter_cluster/collectives/forms.hpp>

namespace osteon::bridge {
namespace {

/// Source ranks and destination ranks of a rank. `received` is the order in which the messages of a source are matched. This
/// order is necessary, because one rank may be both neighbours along an axis. In this case, the message that is sent
/// downwards is received from above.
struct neighborhood {
  std::vector<int> sources, destinations;
  std::vector<std::size_t> received;
};

std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> places(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = i;
  return places;
}

neighborhood neighbors_of(communicator* c) {
  neighborhood n;
  const topology& t = c->layout;
  const MPI_Comm comm = handle_of(c);
  if (t.cart) {
    for (std::size_t d = 0; d < t.cart->dims.size(); ++d) {
      int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
      active.Cart_shift(comm, static_cast<int>(d), 1, &below, &above);
      n.sources.insert(n.sources.end(), {below, above});
      n.received.insert(n.received.end(), {2 * d + 1, 2 * d});
    }
    n.destinations = n.sources;
  } else if (t.edges) {
    int degree = 0;
    active.Graph_neighbors_count(comm, c->rank, &degree);
    n.sources.resize(static_cast<std::size_t>(degree));
    active.Graph_neighbors(comm, c->rank, degree, n.sources.data());
    n.destinations = n.sources;
    n.received = in_order(n.sources.size());
  } else {
    n.sources = t.own_edges->sources;
    n.destinations = t.own_edges->destinations;
    n.received = in_order(n.sources.size());
  }
  return n;
}

const void* outgoing(const void* base, MPI_Aint place) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(place));
}
void* incoming(void* base, MPI_Aint place) { return const_cast<void*>(outgoing(base, place)); }

/// The function f(neighbours) sets the sent and received data for each index in the list of neighbours.
template <class Fill>
int exchange(const void* out_buffer, void* in_buffer, communicator* c, MPI_Request* out, Fill fill) {
  const topology& t = c->layout;
  if (!t.cart && !t.edges && !t.own_edges) return raise(c, MPI_ERR_TOPOLOGY);
  work w = begin(c);
  schedule* s = w.get();
  const neighborhood* neighbors = s->keep(neighbors_of(c));
  side to, from;
  fill(*neighbors, to, from);
  const side *sent = s->keep(std::move(to)), *received = s->keep(std::move(from));
  s->step([=] {
    for (const std::size_t i : neighbors->received)
      if (neighbors->sources[i] != MPI_PROC_NULL)
        s->receive(incoming(in_buffer, received->places[i]), received->counts[i], received->types[i], neighbors->sources[i]);
    for (std::size_t i = 0; i < neighbors->destinations.size(); ++i)
      if (neighbors->destinations[i] != MPI_PROC_NULL)
        s->send(outgoing(out_buffer, sent->places[i]), sent->counts[i], sent->types[i], neighbors->destinations[i]);
  });
  return run(std::move(w), out);
}

/// Data for n neighbours with equal counts. The data are consecutive blocks, or one common block.
side blocks(std::size_t n, int count, MPI_Datatype type, bool same = false) {
  side x{std::vector<int>(n, count), {}, std::vector<MPI_Datatype>(n, type)};
  const MPI_Aint step = same ? 0 : extent_of(type) * count;
  for (std::size_t i = 0; i < n; ++i) x.places.push_back(static_cast<MPI_Aint>(i) * step);
  return x;
}

side blocks(std::size_t n, const int* counts, const int* places, MPI_Datatype type) {
  side x{{counts, counts + n}, {}, std::vector<MPI_Datatype>(n, type)};
  const MPI_Aint extent = extent_of(type);
  for (std::size_t i = 0; i < n; ++i) x.places.push_back(places[i] * extent);
  return x;
}

side blocks(std::size_t n, const int* counts, const MPI_Aint* places, const MPI_Datatype* types) {
  return {{counts, counts + n}, {places, places + n}, {types, types + n}};
}

int neighbor_allgather(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m,
                       MPI_Datatype u) {
  return exchange(a, b, c, out, [=](const neighborhood& neighbors, side& to, side& from) {
    to = blocks(neighbors.destinations.size(), n, t, true);
    from = blocks(neighbors.sources.size(), m, u);
  });
}

int neighbor_allgatherv(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, const int* m,
                        const int* y, MPI_Datatype u) {
  return exchange(a, b, c, out, [=](const neighborhood& neighbors, side& to, side& from) {
    to = blocks(neighbors.destinations.size(), n, t, true);
    from = blocks(neighbors.sources.size(), m, y, u);
  });
}

int neighbor_alltoall(communicator* c, MPI_Request* out, const void* a, int n, MPI_Datatype t, void* b, int m,
                      MPI_Datatype u) {
  return exchange(a, b, c, out, [=](const neighborhood& neighbors, side& to, side& from) {
    to = blocks(neighbors.destinations.size(), n, t);
    from = blocks(neighbors.sources.size(), m, u);
  });
}

int neighbor_alltoallv(communicator* c, MPI_Request* out, const void* a, const int* n, const int* x, MPI_Datatype t, void* b,
                       const int* m, const int* y, MPI_Datatype u) {
  return exchange(a, b, c, out, [=](const neighborhood& neighbors, side& to, side& from) {
    to = blocks(neighbors.destinations.size(), n, x, t);
    from = blocks(neighbors.sources.size(), m, y, u);
  });
}

int neighbor_alltoallw(communicator* c, MPI_Request* out, const void* a, const int* n, const MPI_Aint* x,
                       const MPI_Datatype* t, void* b, const int* m, const MPI_Aint* y, const MPI_Datatype* u) {
  return exchange(a, b, c, out, [=](const neighborhood& neighbors, side& to, side& from) {
    to = blocks(neighbors.destinations.size(), n, x, t);
    from = blocks(neighbors.sources.size(), m, y, u);
  });
}

}  // namespace

void install_neighbors(slots& s) noexcept {
  put_forms<&slots::Neighbor_allgather, &slots::Ineighbor_allgather, neighbor_allgather>(s);
  put_forms<&slots::Neighbor_allgatherv, &slots::Ineighbor_allgatherv, neighbor_allgatherv>(s);
  put_forms<&slots::Neighbor_alltoall, &slots::Ineighbor_alltoall, neighbor_alltoall>(s);
  put_forms<&slots::Neighbor_alltoallv, &slots::Ineighbor_alltoallv, neighbor_alltoallv>(s);
  put_forms<&slots::Neighbor_alltoallw, &slots::Ineighbor_alltoallw, neighbor_alltoallw>(s);
}

}  // namespace osteon::bridge
