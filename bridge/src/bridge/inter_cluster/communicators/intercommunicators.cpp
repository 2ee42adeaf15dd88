/// @file
/// Intercommunicators with members in several clusters. The file contains creation, inquiries, split and merge.
/// point_to_point.cpp sends the messages to the ranks of the other group.
#include <algorithm>
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>

namespace osteon::bridge {
namespace {

using ranks = std::vector<int>;  // world ranks

bool all_here(const ranks& list) {
  return std::all_of(list.begin(), list.end(), [](int r) { return world().everyone->is_local(r); });
}

/// Intercommunicator of the vendor between groups of one cluster.
int make_below(const ranks& own, const ranks& other, int tag, MPI_Comm* out) {
  MPI_Comm side = MPI_COMM_NULL;
  if (const int e = vendor_communicator_of(own, tag, &side)) return e;
  const int leader = world().everyone->local_of[static_cast<std::size_t>(other.front())];
  const int e = vendor().Intercomm_create(side, 0, world().everyone->local, leader, tag, out);
  vendor().Comm_free(&side);
  return e;
}

ranks in_one_order(const ranks& own, const ranks& other, intercommunicator& g) {
  const bool first = own < other;
  ranks all = first ? own : other;
  const ranks& rest = first ? other : own;
  all.insert(all.end(), rest.begin(), rest.end());
  (first ? g.first_other : g.first_own) = static_cast<int>(first ? own.size() : other.size());
  return all;
}

/// Intercommunicator of the bridge. The intercommunicator is based on an intracommunicator of both groups.
MPI_Comm make_over(communicator* both, intercommunicator g, ranks other) {
  communicator* c = world().communicators.make();
  g.both = both;
  c->cid = agree_cid(both);
  c->rank = both->rank - g.first_own;
  c->local = both->local;
  c->shadow = both->shadow;
  const auto first = static_cast<std::size_t>(g.first_other);
  c->local_of.assign(both->local_of.begin() + g.first_other, both->local_of.begin() + g.first_other + std::ssize(other));
  for (const int r : both->rank_of)
    c->rank_of.push_back(static_cast<std::size_t>(r) - first < other.size() ? r - g.first_other : -1);
  c->world = std::move(other);
  c->inter = std::make_unique<intercommunicator>(std::move(g));
  return handle_of(c);
}

/// @collective only over the two groups
int make_inter(ranks own, ranks other, int tag, MPI_Comm* out) {
  if (all_here(own) && all_here(other)) return make_below(own, other, tag, out);
  intercommunicator g;
  ranks all = in_one_order(own, other, g);
  MPI_Comm local = MPI_COMM_NULL;
  if (const int e = vendor_communicator_of(all, tag, &local)) return e;
  const std::uint64_t context = (std::uint64_t{3} << 62) | static_cast<std::uint32_t>(tag);
  communicator* both = make_communicator(context, std::move(all), local, true);
  both->cid = agree_cid(both);
  g.own = std::move(own);
  *out = make_over(both, std::move(g), std::move(other));
  return MPI_SUCCESS;
}

ranks members_of_comm(MPI_Comm comm) {
  MPI_Group g = MPI_GROUP_NULL;
  active.Comm_group(comm, &g);
  ranks list = group_members(g) ? group_members(g)->world : ranks{};
  active.Group_free(&g);
  return list;
}

/// The leaders exchange their groups. This function is for any kind of communicator.
int intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* out) {
  const ranks own = members_of_comm(local);
  int rank = 0, n_own = static_cast<int>(own.size()), n_other = 0;
  active.Comm_rank(local, &rank);
  const bool leads = rank == local_leader;
  if (leads)
    if (const int e = active.Sendrecv(&n_own, 1, MPI_INT, remote_leader, tag, &n_other, 1, MPI_INT, remote_leader, tag, peer,
                                      MPI_STATUS_IGNORE))
      return e;
  if (const int e = active.Bcast(&n_other, 1, MPI_INT, local_leader, local)) return e;
  ranks other(static_cast<std::size_t>(n_other));
  if (leads)
    if (const int e = active.Sendrecv(own.data(), n_own, MPI_INT, remote_leader, tag, other.data(), n_other, MPI_INT,
                                      remote_leader, tag, peer, MPI_STATUS_IGNORE))
      return e;
  if (const int e = active.Bcast(other.data(), n_other, MPI_INT, local_leader, local)) return e;
  if (const int e = make_inter(own, other, tag, out)) return e;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  active.Comm_get_errhandler(local, &handler);
  active.Comm_set_errhandler(*out, handler);
  if (handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN && handler != MPI_ERRORS_ABORT)
    active.Errhandler_free(&handler);
  return MPI_SUCCESS;
}

int intercomm_merge(MPI_Comm comm, int high, MPI_Comm* out) {
  communicator* c = find(comm);
  if (!c) return vendor().Intercomm_merge(comm, high, out);
  if (!c->inter) return raise(c, MPI_ERR_COMM);
  const intercommunicator& g = *c->inter;
  const int mine = high != 0;
  ranks all(g.both->world.size());
  if (const int e = blocking_allgather(g.both, &mine, 1, MPI_INT, all.data())) return e;
  const int theirs = all[static_cast<std::size_t>(g.first_other)];
  const bool first = mine == theirs ? g.first_own < g.first_other : mine == 0;
  return split(g.both, 0, (first ? 0 : g.both->size()) + c->rank, out);
}

int remote_size(MPI_Comm comm, int* n) {
  communicator* c = find(comm);
  if (!c) return vendor().Comm_remote_size(comm, n);
  if (!c->inter) return raise(c, MPI_ERR_COMM);
  return *n = c->size(), MPI_SUCCESS;
}

int remote_group(MPI_Comm comm, MPI_Group* out) {
  communicator* c = find(comm);
  group* g = world().groups.make();
  if (c) {
    if (!c->inter) return world().groups.drop(g), raise(c, MPI_ERR_COMM);
    g->world = c->world;
    *out = reinterpret_cast<MPI_Group>(g);
    return MPI_SUCCESS;
  }
  MPI_Group below = MPI_GROUP_NULL;
  world().groups.drop(g);
  const int e = vendor().Comm_remote_group(comm, &below);
  return e == MPI_SUCCESS ? adopt_group(below, out) : e;
}

}  // namespace

int split_inter(communicator* c, int color, int key, MPI_Comm* out) noexcept {
  const intercommunicator& g = *c->inter;
  drain_collectives(g.both);
  std::vector<wish> all(g.both->world.size());
  const wish mine{color, key};
  if (const int e = blocking_allgather(g.both, &mine, 2, MPI_INT, all.data())) return e;
  *out = MPI_COMM_NULL;
  if (color == MPI_UNDEFINED) return MPI_SUCCESS;
  const auto chosen = [&](int first, std::size_t n) {
    ranks list;
    for (int r = first; r < first + static_cast<int>(n); ++r)
      if (all[static_cast<std::size_t>(r)].color == color) list.push_back(r);
    std::stable_sort(list.begin(), list.end(), [&](int a, int b) {
      return all[static_cast<std::size_t>(a)].key < all[static_cast<std::size_t>(b)].key;
    });
    for (int& r : list) r = g.both->world[static_cast<std::size_t>(r)];
    return list;
  };
  ranks own = chosen(g.first_own, g.own.size()), other = chosen(g.first_other, c->world.size());
  return own.empty() || other.empty() ? MPI_SUCCESS : make_inter(std::move(own), std::move(other), 1, out);
}

int dup_inter(communicator* c, MPI_Info info, MPI_Comm* out) noexcept {
  const intercommunicator& g = *c->inter;
  drain_collectives(g.both);
  const std::uint64_t cid = agree_cid(g.both);
  MPI_Comm local = MPI_COMM_NULL;
  const int e =
      info == MPI_INFO_NULL ? vendor().Comm_dup(c->local, &local) : vendor().Comm_dup_with_info(c->local, info, &local);
  if (e != MPI_SUCCESS) return e;
  intercommunicator copy;
  copy.own = g.own, copy.first_own = g.first_own, copy.first_other = g.first_other;
  *out = make_over(make_communicator(cid, g.both->world, local, true), std::move(copy), c->world);
  return MPI_SUCCESS;
}

void install_intercommunicators(slots& s) noexcept {
  s.Intercomm_create = intercomm_create;
  s.Intercomm_merge = intercomm_merge;
  s.Comm_remote_size = remote_size;
  s.Comm_remote_group = remote_group;
}

}  // namespace osteon::bridge
