/// @file
/// Communicators that span clusters: made by dup, split and create, asked, named, and freed.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "mixed/schedule.hpp"
#include "mixed/world.hpp"

namespace osteon::bridge {
namespace {

MPI_Comm below(MPI_Comm comm) {
  communicator* c = find(comm);
  return c ? c->local : comm;
}

/// The rest is the vendor's, on the part of the communicator that it holds.
template <auto slot, class... A>
int handed_down(MPI_Comm comm, A... arguments) {
  return (vendor().*slot)(below(comm), arguments...);
}

int comm_rank(MPI_Comm comm, int* rank) {
  if (communicator* c = find(comm)) return *rank = c->rank, MPI_SUCCESS;
  return vendor().Comm_rank(comm, rank);
}

int comm_size(MPI_Comm comm, int* size) {
  if (communicator* c = find(comm)) return *size = c->size(), MPI_SUCCESS;
  return vendor().Comm_size(comm, size);
}

int comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
  communicator *x = find(a), *y = find(b);
  if (!x && !y) return vendor().Comm_compare(a, b, result);
  if (x == y) return *result = MPI_IDENT, MPI_SUCCESS;
  *result = MPI_UNEQUAL;
  if (!x || !y) return MPI_SUCCESS;
  if (x->world == y->world) return *result = MPI_CONGRUENT, MPI_SUCCESS;
  auto p = x->world, q = y->world;
  std::sort(p.begin(), p.end());
  std::sort(q.begin(), q.end());
  if (p == q) *result = MPI_SIMILAR;
  return MPI_SUCCESS;
}

/// What a rank says when a communicator is split.
struct wish {
  int color;
  int key;
};

/// One new communicator out of those of equal color; COMM_NULL for MPI_UNDEFINED.
int split(communicator* c, int color, int key, MPI_Comm* out) {
  drain_collectives(c);
  const std::uint64_t cid = agree_cid(c);
  std::vector<wish> all(c->world.size());
  const wish mine{color, key};
  if (const int e = blocking_allgather(c, &mine, sizeof mine, all.data())) return e;
  MPI_Comm local = MPI_COMM_NULL;
  if (const int e = vendor().Comm_split(c->local, color, key, &local)) return e;
  *out = MPI_COMM_NULL;
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  std::vector<int> ranks;
  for (int r = 0; r < c->size(); ++r)
    if (all[static_cast<std::size_t>(r)].color == color) ranks.push_back(r);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
  });
  const bool intra = std::all_of(ranks.begin(), ranks.end(), [&](int r) { return c->is_local(r); });
  for (int& r : ranks) r = c->world[static_cast<std::size_t>(r)];
  // Inside one cluster the vendor's communicator is the program's: everything on it passes through.
  *out = intra ? local : handle_of(make_communicator(cid, std::move(ranks), local, true));
  return MPI_SUCCESS;
}

int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  communicator* c = find(comm);
  return c ? split(c, color, key, out) : vendor().Comm_split(comm, color, key, out);
}

int comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Comm_split_type(comm, type, key, info, out);
  // What shares memory or hardware is inside a cluster.
  drain_collectives(c);
  return vendor().Comm_split_type(c->local, type, key, info, out);
}

int dup(communicator* c, MPI_Info info, MPI_Comm* out) {
  drain_collectives(c);
  const std::uint64_t cid = agree_cid(c);
  MPI_Comm local = MPI_COMM_NULL;
  const int e =
      info == MPI_INFO_NULL ? vendor().Comm_dup(c->local, &local) : vendor().Comm_dup_with_info(c->local, info, &local);
  if (e != MPI_SUCCESS) return e;
  communicator* made = make_communicator(cid, c->world, local, true);
  if (c->cart) made->cart = std::make_unique<cartesian>(*c->cart);
  *out = handle_of(made);
  return MPI_SUCCESS;
}

int comm_dup(MPI_Comm comm, MPI_Comm* out) {
  communicator* c = find(comm);
  return c ? dup(c, MPI_INFO_NULL, out) : vendor().Comm_dup(comm, out);
}

int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* out) {
  communicator* c = find(comm);
  return c ? dup(c, info, out) : vendor().Comm_dup_with_info(comm, info, out);
}

int comm_idup(MPI_Comm comm, MPI_Comm* out, MPI_Request* request) {
  communicator* c = find(comm);
  if (!c) return vendor().Comm_idup(comm, out, request);
  const int e = dup(c, MPI_INFO_NULL, out);  // done at once, which the documentation says
  if (e != MPI_SUCCESS) return e;
  return vendor().Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
}

const group* members_of(MPI_Group g) { return world().groups.holds(g) ? reinterpret_cast<group*>(g) : nullptr; }

/// The vendor's group of world ranks that are all in this cluster; MPI_GROUP_NULL if they are not.
MPI_Group vendor_group_of(const group* g) {
  std::vector<int> ranks;
  if (g) ranks = g->world;
  MPI_Group made = MPI_GROUP_NULL;
  const int n = static_cast<int>(world().everyone->rank_of.size());
  for (int& r : ranks) {
    r -= world().first_local;
    if (r < 0 || r >= n) return MPI_GROUP_NULL;
  }
  vendor().Group_incl(world().vendor_group, static_cast<int>(ranks.size()), ranks.data(), &made);
  return made;
}

int comm_create(MPI_Comm comm, MPI_Group g, MPI_Comm* out) {
  communicator* c = find(comm);
  const group* members = members_of(g);
  if (c) {
    int key = -1;
    if (members)
      for (std::size_t i = 0; i < members->world.size(); ++i)
        if (members->world[i] == c->world[static_cast<std::size_t>(c->rank)]) key = static_cast<int>(i);
    return split(c, key < 0 ? MPI_UNDEFINED : 0, std::max(key, 0), out);
  }
  MPI_Group below_group = vendor_group_of(members);
  if (below_group == MPI_GROUP_NULL) return refuse(comm, "MPI_Comm_create: the group holds ranks of another cluster");
  const int e = vendor().Comm_create(comm, below_group, out);
  vendor().Group_free(&below_group);
  return e;
}

int comm_create_group(MPI_Comm comm, MPI_Group g, int tag, MPI_Comm* out) {
  communicator* c = find(comm);
  const group* members = members_of(g);
  if (!c) {
    MPI_Group below_group = vendor_group_of(members);
    if (below_group == MPI_GROUP_NULL)
      return refuse(comm, "MPI_Comm_create_group: the group holds ranks of another cluster");
    const int e = vendor().Comm_create_group(comm, below_group, tag, out);
    vendor().Group_free(&below_group);
    return e;
  }
  const int me = world().everyone->rank;
  *out = MPI_COMM_NULL;
  if (!members || std::find(members->world.begin(), members->world.end(), me) == members->world.end()) return MPI_SUCCESS;
  group here;
  for (const int r : members->world)
    if (world().everyone->is_local(r)) here.world.push_back(r);
  MPI_Group local_group = vendor_group_of(&here);
  MPI_Comm local = MPI_COMM_NULL;
  const int e = vendor().Comm_create_group(c->local, local_group, tag, &local);
  vendor().Group_free(&local_group);
  if (e != MPI_SUCCESS) return e;
  if (here.world.size() == members->world.size()) return *out = local, MPI_SUCCESS;
  // Only the members take part, so they agree in a context of their own, named after the parent and the tag.
  const std::uint64_t context = (std::uint64_t{1} << 63) | (c->cid << 32) | static_cast<std::uint32_t>(tag);
  communicator* made = make_communicator(context, members->world, local, true);
  made->cid = agree_cid(made);
  *out = handle_of(made);
  return MPI_SUCCESS;
}

int comm_free(MPI_Comm* comm) {
  communicator* c = find(*comm);
  if (!c) return vendor().Comm_free(comm);
  if (c == world().everyone) return raise(c, MPI_ERR_COMM);
  drain_collectives(c);
  // Receives that are still posted keep the communicator alive in MPI; here they must be complete first.
  if (std::any_of(world().posted.begin(), world().posted.end(), [&](const request* r) { return r->comm == c; }))
    return refuse(c->local, "MPI_Comm_free: receives are still posted on a communicator that spans clusters");
  patience p;
  while (std::any_of(world().moving.begin(), world().moving.end(), [&](const request* r) { return r->comm == c; })) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
  vendor().Comm_free(&c->shadow);
  const int e = vendor().Comm_free(&c->local);
  world().communicators.drop(c);
  *comm = MPI_COMM_NULL;
  return e;
}

int no_intercommunicator(MPI_Comm comm, int* flag) {
  if (find(comm)) return *flag = 0, MPI_SUCCESS;
  return vendor().Comm_test_inter(comm, flag);
}

int get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  communicator* c = find(comm);
  if (key == MPI_TAG_UB && c) {
    *static_cast<int**>(value) = &world().tag_limit;
    *flag = 1;
    return MPI_SUCCESS;
  }
  return vendor().Comm_get_attr(c ? c->local : comm, key, value, flag);
}

int comm_group(MPI_Comm comm, MPI_Group* out) {
  communicator* c = find(comm);
  group* g = world().groups.make();
  if (c) {
    g->world = c->world;
  } else {
    MPI_Group below_group = MPI_GROUP_NULL;
    int n = 0;
    if (const int e = vendor().Comm_group(comm, &below_group)) return world().groups.drop(g), e;
    vendor().Group_size(below_group, &n);
    std::vector<int> own(static_cast<std::size_t>(n));
    std::iota(own.begin(), own.end(), 0);
    g->world.resize(own.size());
    vendor().Group_translate_ranks(below_group, n, own.data(), world().vendor_group, g->world.data());
    for (int& r : g->world) r += world().first_local;
    vendor().Group_free(&below_group);
  }
  *out = reinterpret_cast<MPI_Group>(g);
  return MPI_SUCCESS;
}

// --- Cartesian grids ---
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
    m->cart = std::make_unique<cartesian>(cartesian{{dims, dims + n}, {periods, periods + n}});
    return MPI_SUCCESS;
  }
  const int e = vendor().Cart_create(made, n, dims, periods, 0, out);
  vendor().Comm_free(&made);
  return e;
}

int topo_test(MPI_Comm comm, int* kind) {
  communicator* c = find(comm);
  if (!c) return vendor().Topo_test(comm, kind);
  *kind = c->cart ? MPI_CART : MPI_UNDEFINED;
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

/// The grid of a communicator of ours, null for the vendor's; `error` if it is ours and has none.
const cartesian* grid_of(MPI_Comm comm, int& error) {
  communicator* c = find(comm);
  error = c && !c->cart ? raise(c, MPI_ERR_TOPOLOGY) : MPI_SUCCESS;
  return c ? c->cart.get() : nullptr;
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
    m->cart = std::make_unique<cartesian>(std::move(rest));
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

std::uint64_t agree_cid(communicator* c) noexcept {
  std::vector<std::uint64_t> all(c->world.size());
  blocking_allgather(c, &world().next_cid, sizeof(std::uint64_t), all.data());
  const std::uint64_t cid = *std::max_element(all.begin(), all.end());
  world().next_cid = cid + 1;
  return cid;
}

communicator* make_communicator(std::uint64_t cid, std::vector<int> ranks, MPI_Comm local, bool own_shadow) noexcept {
  const wire::world_info& info = world().link->world();
  communicator* c = world().communicators.make();
  c->cid = cid;
  c->local = local;
  c->shadow = local;
  if (own_shadow) vendor().Comm_dup(local, &c->shadow);
  std::vector<int> cluster_index(info.clusters.size(), -1);
  int last_cluster = -1;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const int cluster = info.processes[static_cast<std::size_t>(ranks[r])].cluster;
    int& index = cluster_index[static_cast<std::size_t>(cluster)];
    if (index < 0) {
      index = static_cast<int>(c->members.size());
      c->members.emplace_back();
    }
    if (index < last_cluster) c->in_order = false;
    last_cluster = index;
    c->members[static_cast<std::size_t>(index)].push_back(static_cast<int>(r));
    const bool here = cluster == info.cluster;
    if (ranks[r] == info.rank) c->rank = static_cast<int>(r);
    c->local_of.push_back(here ? static_cast<int>(c->rank_of.size()) : -1);
    if (here) c->rank_of.push_back(static_cast<int>(r));
  }
  c->cluster = cluster_index[static_cast<std::size_t>(info.cluster)];
  c->world = std::move(ranks);
  return c;
}

const group* group_members(MPI_Group g) noexcept { return members_of(g); }
MPI_Group group_below(const group* g) noexcept { return vendor_group_of(g); }

void install_communicators(slots& s) noexcept {
  s.Comm_rank = comm_rank;
  s.Comm_size = comm_size;
  s.Comm_compare = comm_compare;
  s.Comm_split = comm_split;
  s.Comm_split_type = comm_split_type;
  s.Comm_dup = comm_dup;
  s.Comm_dup_with_info = comm_dup_with_info;
  s.Comm_idup = comm_idup;
  s.Comm_create = comm_create;
  s.Comm_create_group = comm_create_group;
  s.Comm_free = comm_free;
  s.Comm_disconnect = comm_free;
  s.Comm_test_inter = no_intercommunicator;
  s.Comm_group = comm_group;
  s.Comm_get_attr = get_attr;
  s.Attr_get = get_attr;
  s.Comm_set_attr = handed_down<&slots::Comm_set_attr, int, void*>;
  s.Attr_put = handed_down<&slots::Attr_put, int, void*>;
  s.Comm_delete_attr = handed_down<&slots::Comm_delete_attr, int>;
  s.Attr_delete = handed_down<&slots::Attr_delete, int>;
  s.Comm_set_errhandler = handed_down<&slots::Comm_set_errhandler, MPI_Errhandler>;
  s.Comm_get_errhandler = handed_down<&slots::Comm_get_errhandler, MPI_Errhandler*>;
  s.Comm_call_errhandler = handed_down<&slots::Comm_call_errhandler, int>;
  s.Comm_set_name = handed_down<&slots::Comm_set_name, const char*>;
  s.Comm_get_name = handed_down<&slots::Comm_get_name, char*, int*>;
  s.Comm_set_info = handed_down<&slots::Comm_set_info, MPI_Info>;
  s.Comm_get_info = handed_down<&slots::Comm_get_info, MPI_Info*>;
  s.Pack = [](const void* in, int n, MPI_Datatype t, void* out, int size, int* at, MPI_Comm comm) {
    return vendor().Pack(in, n, t, out, size, at, below(comm));
  };
  s.Unpack = [](const void* in, int size, int* at, void* out, int n, MPI_Datatype t, MPI_Comm comm) {
    return vendor().Unpack(in, size, at, out, n, t, below(comm));
  };
  s.Pack_size = [](int n, MPI_Datatype t, MPI_Comm comm, int* size) { return vendor().Pack_size(n, t, below(comm), size); };
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
