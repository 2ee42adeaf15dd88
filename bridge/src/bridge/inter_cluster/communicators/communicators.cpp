/// @file
/// Communicators that span clusters. The file contains dup, split, create, inquiries, names and free.
#include <algorithm>
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <cstring>
#include <numeric>

namespace osteon::bridge {
namespace {

MPI_Comm below(MPI_Comm comm) {
  communicator* c = find(comm);
  return c ? c->local : comm;
}

/// The communicator of the vendor contains all other attributes.
template <auto slot, class... A>
int handed_down(MPI_Comm comm, A... arguments) {
  return (vendor().*slot)(below(comm), arguments...);
}

const std::vector<int>& own_group(const communicator* c) { return c->inter ? c->inter->own : c->world; }

int comm_rank(MPI_Comm comm, int* rank) {
  if (communicator* c = find(comm)) return *rank = c->rank, MPI_SUCCESS;
  return vendor().Comm_rank(comm, rank);
}

int comm_size(MPI_Comm comm, int* size) {
  if (communicator* c = find(comm)) return *size = static_cast<int>(own_group(c).size()), MPI_SUCCESS;
  return vendor().Comm_size(comm, size);
}

int comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
  communicator *x = find(a), *y = find(b);
  if (!x && !y) return vendor().Comm_compare(a, b, result);
  if (x == y) return *result = MPI_IDENT, MPI_SUCCESS;
  *result = MPI_UNEQUAL;
  if (!x || !y || !x->inter != !y->inter) return MPI_SUCCESS;
  auto p = x->world, q = y->world, own_p = own_group(x), own_q = own_group(y);
  if (p == q && own_p == own_q) return *result = MPI_CONGRUENT, MPI_SUCCESS;
  for (auto* ranks : {&p, &q, &own_p, &own_q}) std::sort(ranks->begin(), ranks->end());
  if (p == q && own_p == own_q) *result = MPI_SIMILAR;
  return MPI_SUCCESS;
}

}  // namespace

int split(communicator* c, int color, int key, MPI_Comm* out) noexcept {
  if (c->inter) return raise(c, MPI_ERR_COMM);
  drain_collectives(c);
  const std::uint64_t cid = agree_cid(c);
  std::vector<wish> all(c->world.size());
  const wish mine{color, key};
  if (const int e = blocking_allgather(c, &mine, 2, MPI_INT, all.data())) return e;
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
  // Inside one cluster, the program uses the communicator of the vendor. The bridge passes all calls for this communicator
  // to the vendor.
  *out = intra ? local : handle_of(make_communicator(cid, std::move(ranks), local, true));
  return MPI_SUCCESS;
}

namespace {

int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Comm_split(comm, color, key, out);
  return c->inter ? split_inter(c, color, key, out) : split(c, color, key, out);
}

int comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Comm_split_type(comm, type, key, info, out);
  // Processes that use the same memory or hardware are always inside one cluster.
  drain_collectives(c->inter ? c->inter->both : c);
  if (!c->inter) return vendor().Comm_split_type(c->local, type, key, info, out);
  MPI_Comm node = MPI_COMM_NULL;
  if (const int e = vendor().Comm_split_type(c->local, type, key, info, &node)) return e;
  if (node == MPI_COMM_NULL) return split_inter(c, MPI_UNDEFINED, key, out);
  // lowest world rank in the communicator; the name of the communicator contains this rank
  int first = world().everyone->rank;
  vendor().Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, node);
  vendor().Comm_free(&node);
  return split_inter(c, first, key, out);
}

int dup(communicator* c, MPI_Info info, MPI_Comm* out) {
  if (c->inter) return dup_inter(c, info, out);
  drain_collectives(c);
  const std::uint64_t cid = agree_cid(c);
  MPI_Comm local = MPI_COMM_NULL;
  const int e =
      info == MPI_INFO_NULL ? vendor().Comm_dup(c->local, &local) : vendor().Comm_dup_with_info(c->local, info, &local);
  if (e != MPI_SUCCESS) return e;
  communicator* made = make_communicator(cid, c->world, local, true);
  made->layout = c->layout;
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
  const int e = dup(c, MPI_INFO_NULL, out);  // as documented, the call completes immediately
  if (e != MPI_SUCCESS) return e;
  return vendor().Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, request);
}

const group* members_of(MPI_Group g) { return world().groups.holds(g) ? reinterpret_cast<group*>(g) : nullptr; }

/// Group of the vendor for the world ranks if all ranks are in this cluster. Otherwise, the result is MPI_GROUP_NULL.
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

/// The group is created from the group of a communicator that contains the ranks. With other groups, MPICH 4.0 crashes if
/// the communicator is a duplicate.
MPI_Group vendor_group_within(MPI_Comm local, const group* members) {
  MPI_Group wanted = vendor_group_of(members), all = MPI_GROUP_NULL, made = MPI_GROUP_NULL;
  if (wanted == MPI_GROUP_NULL || !members) return wanted;
  const int n = static_cast<int>(members->world.size());
  std::vector<int> ranks(members->world.size()), places(members->world.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  vendor().Comm_group(local, &all);
  vendor().Group_translate_ranks(wanted, n, ranks.data(), all, places.data());
  vendor().Group_incl(all, n, places.data(), &made);
  vendor().Group_free(&wanted);
  vendor().Group_free(&all);
  return made;
}

int comm_create(MPI_Comm comm, MPI_Group g, MPI_Comm* out) {
  communicator* c = find(comm);
  const group* members = members_of(g);
  if (c) {
    int key = -1;
    if (members)
      for (std::size_t i = 0; i < members->world.size(); ++i)
        if (members->world[i] == world().everyone->rank) key = static_cast<int>(i);
    if (c->inter) return split_inter(c, key < 0 ? MPI_UNDEFINED : 0, std::max(key, 0), out);
    // Ranks may pass disjoint groups. Each of these groups becomes a communicator.
    return split(c, key < 0 ? MPI_UNDEFINED : members->world.front(), std::max(key, 0), out);
  }
  MPI_Group below_group = vendor_group_of(members);
  if (below_group == MPI_GROUP_NULL) return refuse(comm, "MPI_Comm_create: the group contains ranks of another cluster");
  const int e = vendor().Comm_create(comm, below_group, out);
  vendor().Group_free(&below_group);
  return e;
}

}  // namespace

int vendor_communicator_of(const std::vector<int>& ranks, int tag, MPI_Comm* out) noexcept {
  group here;
  for (const int r : ranks)
    if (world().everyone->is_local(r)) here.world.push_back(r);
  const MPI_Comm all = world().everyone->local;
  MPI_Group below_group = vendor_group_within(all, &here);
  const int e = vendor().Comm_create_group(all, below_group, tag, out);
  vendor().Group_free(&below_group);
  return e;
}

namespace {

int comm_create_group(MPI_Comm comm, MPI_Group g, int tag, MPI_Comm* out) {
  communicator* c = find(comm);
  const group* members = members_of(g);
  if (!c) {
    MPI_Group below_group = vendor_group_within(comm, members);
    if (below_group == MPI_GROUP_NULL)
      return refuse(comm, "MPI_Comm_create_group: the group contains ranks of another cluster");
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
  MPI_Group local_group = vendor_group_within(c->local, &here);
  MPI_Comm local = MPI_COMM_NULL;
  const int e = vendor().Comm_create_group(c->local, local_group, tag, &local);
  vendor().Group_free(&local_group);
  if (e != MPI_SUCCESS) return e;
  if (here.world.size() == members->world.size()) return *out = local, MPI_SUCCESS;
  // Only the members call this function. The members communicate in a context of their own. The parent communicator and the
  // tag identify this context.
  const std::uint64_t context = (std::uint64_t{1} << 63) | (c->cid << 32) | static_cast<std::uint32_t>(tag);
  communicator* made = make_communicator(context, members->world, local, true);
  made->cid = agree_cid(made);
  *out = handle_of(made);
  return MPI_SUCCESS;
}

/// Pending operations of the vendor and of the bridge on this communicator continue.
int comm_free(MPI_Comm* comm) {
  communicator* c = find(*comm);
  if (!c) return vendor().Comm_free(comm);
  if (c == world().everyone) return raise(c, MPI_ERR_COMM);
  int e = MPI_SUCCESS;
  if (c->inter) {
    MPI_Comm both = handle_of(c->inter->both);
    e = comm_free(&both);
  } else {
    drain_collectives(c);
    vendor().Comm_free(&c->shadow);
    e = vendor().Comm_free(&c->local);
  }
  c->freed = true;
  if (c->users == 0) world().communicators.drop(c);
  *comm = MPI_COMM_NULL;
  return e;
}

int comm_disconnect(MPI_Comm* comm) {
  communicator* c = find(*comm);
  if (!c) return vendor().Comm_disconnect(comm);
  patience p;
  while (std::any_of(world().moving.begin(), world().moving.end(), [&](const request* r) { return r->comm == c; })) {
    if (progress())
      p.reset();
    else
      p.wait();
  }
  return comm_free(comm);
}

int is_between_groups(MPI_Comm comm, int* flag) {
  if (communicator* c = find(comm)) return *flag = c->inter != nullptr, MPI_SUCCESS;
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
    g->world = own_group(c);
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

// --- packed data have the format of messages, because they may be sent to another cluster ---
int pack_for(const void* in, int n, MPI_Datatype type, void* out, int size, int* at, MPI_Comm comm) {
  communicator* c = find(comm);
  if (!c || !world().external32) return vendor().Pack(in, n, type, out, size, at, below(comm));
  const auto bytes = pack_message(in, n, type);
  if (std::ssize(bytes) > size - *at) return raise(c, MPI_ERR_TRUNCATE);
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(out) + *at);
  *at += static_cast<int>(bytes.size());
  return MPI_SUCCESS;
}

int unpack_for(const void* in, int size, int* at, void* out, int n, MPI_Datatype type, MPI_Comm comm) {
  communicator* c = find(comm);
  if (!c || !world().external32) return vendor().Unpack(in, size, at, out, n, type, below(comm));
  const auto bytes = static_cast<int>(layout_of_message(n, type).bytes);
  if (bytes > size - *at) return raise(c, MPI_ERR_TRUNCATE);
  unpack_message(static_cast<const std::byte*>(in) + *at, static_cast<std::size_t>(bytes), out, n, type);
  *at += bytes;
  return MPI_SUCCESS;
}

int pack_size_for(int n, MPI_Datatype type, MPI_Comm comm, int* size) {
  if (!find(comm) || !world().external32) return vendor().Pack_size(n, type, below(comm), size);
  return *size = static_cast<int>(layout_of_message(n, type).bytes), MPI_SUCCESS;
}

}  // namespace

std::uint64_t agree_cid(communicator* c) noexcept {
  std::vector<std::uint64_t> all(c->world.size());
  blocking_allgather(c, &world().next_cid, 1, MPI_UINT64_T, all.data());
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
  std::vector<int> cluster_index(info.clusters.size() + info.processes.size(), -1);
  int last_cluster = -1;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const int cluster = cluster_of(ranks[r]);
    int& index = cluster_index[static_cast<std::size_t>(cluster)];
    if (index < 0) {
      index = static_cast<int>(c->members.size());
      c->members.emplace_back();
    }
    if (index < last_cluster) c->in_order = false;
    last_cluster = index;
    c->members[static_cast<std::size_t>(index)].push_back(static_cast<int>(r));
    const bool here = cluster == cluster_of(info.rank);
    if (ranks[r] == info.rank) c->rank = static_cast<int>(r);
    c->local_of.push_back(here ? static_cast<int>(c->rank_of.size()) : -1);
    if (here) c->rank_of.push_back(static_cast<int>(r));
  }
  c->cluster = cluster_index[static_cast<std::size_t>(cluster_of(info.rank))];
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
  s.Comm_disconnect = comm_disconnect;
  s.Comm_test_inter = is_between_groups;
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
  s.Pack = pack_for;
  s.Unpack = unpack_for;
  s.Pack_size = pack_size_for;
}

}  // namespace osteon::bridge
