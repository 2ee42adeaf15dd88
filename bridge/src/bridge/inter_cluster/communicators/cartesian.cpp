/// @file
/// Cartesian grids of ranks in several clusters.
#include <algorithm>
#include <bridge/inter_cluster/world.hpp>
#include <functional>
#include <numeric>

namespace osteon::bridge {
namespace {

int cart_create(MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Cart_create(comm, n, dims, periods, reorder, out);
  const long cells = std::accumulate(dims, dims + n, 1L, std::multiplies<>());
  if (cells > c->size()) return raise(c, MPI_ERR_DIMS);
  MPI_Comm made = MPI_COMM_NULL;
  if (const int e = split(c, c->rank < cells ? 0 : MPI_UNDEFINED, c->rank, &made)) return e;
  *out = made;
  if (made == MPI_COMM_NULL) return MPI_SUCCESS;
  if (communicator* m = find(made)) {
    m->layout.cart = std::make_shared<cartesian>(cartesian{{dims, dims + n}, {periods, periods + n}});
    return MPI_SUCCESS;
  }
  const int e = vendor().Cart_create(made, n, dims, periods, 0, out);
  vendor().Comm_free(&made);
  return e;
}

int topo_test(MPI_Comm comm, int* kind) {
  communicator* c = find(comm);
  if (!c) return vendor().Topo_test(comm, kind);
  const topology& t = c->layout;
  *kind = t.cart ? MPI_CART : t.edges ? MPI_GRAPH : t.own_edges ? MPI_DIST_GRAPH : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

std::vector<int> coordinates(const cartesian& g, int rank) {
  std::vector<int> at(g.dims.size());
  for (std::size_t d = g.dims.size(); d-- > 0; rank /= g.dims[d]) at[d] = rank % g.dims[d];
  return at;
}

int cell_of(const cartesian& g, std::vector<int> at) {
  int rank = 0;
  for (std::size_t d = 0; d < g.dims.size(); ++d) {
    if (g.periods[d]) at[d] = (at[d] % g.dims[d] + g.dims[d]) % g.dims[d];
    if (at[d] < 0 || at[d] >= g.dims[d]) return MPI_PROC_NULL;
    rank = rank * g.dims[d] + at[d];
  }
  return rank;
}

/// Return the grid of a communicator of the bridge. For a communicator of the vendor, the result is null. For a communicator
/// of the bridge without a grid, the result is null, and `error` is set.
const cartesian* grid_of(MPI_Comm comm, int& error) {
  communicator* c = find(comm);
  error = c && !c->layout.cart ? raise(c, MPI_ERR_TOPOLOGY) : MPI_SUCCESS;
  return c ? c->layout.cart.get() : nullptr;
}

int cartdim_get(MPI_Comm comm, int* n) {
  int error = 0;
  const cartesian* g = grid_of(comm, error);
  if (error) return error;
  if (!g) return vendor().Cartdim_get(comm, n);
  *n = static_cast<int>(g->dims.size());
  return MPI_SUCCESS;
}

int cart_coords(MPI_Comm comm, int rank, int most, int coords[]) {
  int error = 0;
  const cartesian* g = grid_of(comm, error);
  if (error) return error;
  if (!g) return vendor().Cart_coords(comm, rank, most, coords);
  const auto at = coordinates(*g, rank);
  std::copy_n(at.begin(), std::min<std::size_t>(at.size(), static_cast<std::size_t>(most)), coords);
  return MPI_SUCCESS;
}

int cart_get(MPI_Comm comm, int most, int dims[], int periods[], int coords[]) {
  int error = 0;
  const cartesian* g = grid_of(comm, error);
  if (error) return error;
  if (!g) return vendor().Cart_get(comm, most, dims, periods, coords);
  const auto n = std::min<std::size_t>(g->dims.size(), static_cast<std::size_t>(most));
  std::copy_n(g->dims.begin(), n, dims);
  std::copy_n(g->periods.begin(), n, periods);
  return cart_coords(comm, find(comm)->rank, most, coords);
}

int cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  int error = 0;
  const cartesian* g = grid_of(comm, error);
  if (error) return error;
  if (!g) return vendor().Cart_rank(comm, coords, rank);
  *rank = cell_of(*g, {coords, coords + g->dims.size()});
  return *rank == MPI_PROC_NULL ? raise(find(comm), MPI_ERR_RANK) : MPI_SUCCESS;
}

int cart_shift(MPI_Comm comm, int direction, int step, int* source, int* dest) {
  int error = 0;
  const cartesian* g = grid_of(comm, error);
  if (error) return error;
  if (!g) return vendor().Cart_shift(comm, direction, step, source, dest);
  if (direction < 0 || direction >= static_cast<int>(g->dims.size())) return raise(find(comm), MPI_ERR_DIMS);
  auto at = coordinates(*g, find(comm)->rank);
  at[static_cast<std::size_t>(direction)] += step;
  *dest = cell_of(*g, at);
  at[static_cast<std::size_t>(direction)] -= 2 * step;
  *source = cell_of(*g, at);
  return MPI_SUCCESS;
}

int cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* out) {
  int error = 0;
  const cartesian* g = grid_of(comm, error);
  if (error) return error;
  if (!g) return vendor().Cart_sub(comm, remain, out);
  const auto at = coordinates(*g, find(comm)->rank);
  int color = 0, key = 0;
  cartesian rest;
  for (std::size_t d = 0; d < at.size(); ++d) {
    (remain[d] ? key : color) = (remain[d] ? key : color) * g->dims[d] + at[d];
    if (remain[d]) rest.dims.push_back(g->dims[d]), rest.periods.push_back(g->periods[d]);
  }
  MPI_Comm made = MPI_COMM_NULL;
  if (const int e = split(find(comm), color, key, &made)) return e;
  *out = made;
  if (communicator* m = find(made)) {
    m->layout.cart = std::make_shared<cartesian>(std::move(rest));
    return MPI_SUCCESS;
  }
  const int e =
      vendor().Cart_create(made, static_cast<int>(rest.dims.size()), rest.dims.data(), rest.periods.data(), 0, out);
  vendor().Comm_free(&made);
  return e;
}

int cart_map(MPI_Comm comm, int n, const int dims[], const int periods[], int* rank) {
  communicator* c = find(comm);
  if (!c) return vendor().Cart_map(comm, n, dims, periods, rank);
  *rank = c->rank < std::accumulate(dims, dims + n, 1L, std::multiplies<>()) ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

}  // namespace

void install_cartesian(slots& s) noexcept {
  s.Cart_create = cart_create;
  s.Topo_test = topo_test;
  s.Cartdim_get = cartdim_get;
  s.Cart_coords = cart_coords;
  s.Cart_get = cart_get;
  s.Cart_rank = cart_rank;
  s.Cart_shift = cart_shift;
  s.Cart_sub = cart_sub;
  s.Cart_map = cart_map;
}

}  // namespace osteon::bridge
