/// @file
/// Groups. In a joined job, all groups are groups of the bridge. A group of the vendor cannot contain ranks of other
/// clusters.
#include <algorithm>
#include <bridge/inter_cluster/schedule.hpp>
#include <bridge/inter_cluster/world.hpp>
#include <numeric>

namespace osteon::bridge {
namespace {

const std::vector<int>& ranks_of(MPI_Group g) {
  static const std::vector<int> none;
  const group* members = group_members(g);
  return members ? members->world : none;
}

int make(std::vector<int> ranks, MPI_Group* out) {
  if (ranks.empty()) return *out = MPI_GROUP_EMPTY, MPI_SUCCESS;
  group* g = world().groups.make();
  g->world = std::move(ranks);
  *out = reinterpret_cast<MPI_Group>(g);
  return MPI_SUCCESS;
}

int place(const std::vector<int>& ranks, int member) {
  const auto at = std::find(ranks.begin(), ranks.end(), member);
  return at == ranks.end() ? MPI_UNDEFINED : static_cast<int>(at - ranks.begin());
}

int fault(int error_class) { return raise(world().everyone, error_class); }

int group_size(MPI_Group g, int* size) { return *size = static_cast<int>(ranks_of(g).size()), MPI_SUCCESS; }
int group_rank(MPI_Group g, int* rank) { return *rank = place(ranks_of(g), world().everyone->rank), MPI_SUCCESS; }

int translate(MPI_Group from, int n, const int in[], MPI_Group to, int out[]) {
  const auto &a = ranks_of(from), &b = ranks_of(to);
  for (int i = 0; i < n; ++i) {
    if (in[i] == MPI_PROC_NULL) {
      out[i] = MPI_PROC_NULL;
      continue;
    }
    if (in[i] < 0 || in[i] >= static_cast<int>(a.size())) return fault(MPI_ERR_RANK);
    out[i] = place(b, a[static_cast<std::size_t>(in[i])]);
  }
  return MPI_SUCCESS;
}

int compare(MPI_Group x, MPI_Group y, int* result) {
  auto a = ranks_of(x), b = ranks_of(y);
  *result = MPI_IDENT;
  if (a == b) return MPI_SUCCESS;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  *result = a == b ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}

int unite(MPI_Group x, MPI_Group y, MPI_Group* out) {
  std::vector<int> all = ranks_of(x);
  for (const int r : ranks_of(y))
    if (place(ranks_of(x), r) == MPI_UNDEFINED) all.push_back(r);
  return make(std::move(all), out);
}

/// The members of x that y contains (or does not contain).
int filter(MPI_Group x, MPI_Group y, bool wanted, MPI_Group* out) {
  std::vector<int> some;
  for (const int r : ranks_of(x))
    if ((place(ranks_of(y), r) != MPI_UNDEFINED) == wanted) some.push_back(r);
  return make(std::move(some), out);
}

int pick(MPI_Group g, const std::vector<int>& chosen, bool include, MPI_Group* out) {
  const auto& all = ranks_of(g);
  std::vector<bool> named(all.size());
  std::vector<int> result;
  for (const int r : chosen) {
    if (r < 0 || r >= static_cast<int>(all.size()) || named[static_cast<std::size_t>(r)]) return fault(MPI_ERR_RANK);
    named[static_cast<std::size_t>(r)] = true;
    if (include) result.push_back(all[static_cast<std::size_t>(r)]);
  }
  for (std::size_t r = 0; !include && r < all.size(); ++r)
    if (!named[r]) result.push_back(all[r]);
  return make(std::move(result), out);
}

std::vector<int> expanded(int n, int ranges[][3]) {
  std::vector<int> all;
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    for (int r = first; stride > 0 ? r <= last : stride < 0 && r >= last; r += stride) all.push_back(r);
  }
  return all;
}

int group_free(MPI_Group* g) {
  if (world().groups.holds(*g)) world().groups.drop(reinterpret_cast<group*>(*g));
  *g = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

template <auto function>
int epoch(MPI_Group g, int assertions, MPI_Win win) {
  MPI_Group below = group_below(group_members(g));
  if (below == MPI_GROUP_NULL) return refuse(MPI_COMM_SELF, "a window must not include ranks of another cluster");
  const int e = (vendor().*function)(below, assertions, win);
  vendor().Group_free(&below);
  return e;
}

}  // namespace

int adopt_group(MPI_Group below, MPI_Group* out) noexcept {
  int n = 0;
  vendor().Group_size(below, &n);
  std::vector<int> own(static_cast<std::size_t>(n)), ranks(own.size());
  std::iota(own.begin(), own.end(), 0);
  vendor().Group_translate_ranks(below, n, own.data(), world().vendor_group, ranks.data());
  for (int& r : ranks) r += world().first_local;
  vendor().Group_free(&below);
  return make(std::move(ranks), out);
}

void install_groups(slots& s) noexcept {
  s.Group_size = group_size;
  s.Group_rank = group_rank;
  s.Group_translate_ranks = translate;
  s.Group_compare = compare;
  s.Group_union = unite;
  s.Group_intersection = [](MPI_Group x, MPI_Group y, MPI_Group* out) { return filter(x, y, true, out); };
  s.Group_difference = [](MPI_Group x, MPI_Group y, MPI_Group* out) { return filter(x, y, false, out); };
  s.Group_incl = [](MPI_Group g, int n, const int r[], MPI_Group* out) { return pick(g, {r, r + n}, true, out); };
  s.Group_excl = [](MPI_Group g, int n, const int r[], MPI_Group* out) { return pick(g, {r, r + n}, false, out); };
  s.Group_range_incl = [](MPI_Group g, int n, int r[][3], MPI_Group* out) { return pick(g, expanded(n, r), true, out); };
  s.Group_range_excl = [](MPI_Group g, int n, int r[][3], MPI_Group* out) { return pick(g, expanded(n, r), false, out); };
  s.Group_free = group_free;
  s.Win_post = epoch<&slots::Win_post>;
  s.Win_start = epoch<&slots::Win_start>;
  s.Win_get_group = [](MPI_Win win, MPI_Group* out) {
    MPI_Group below = MPI_GROUP_NULL;
    const int e = vendor().Win_get_group(win, &below);
    return e == MPI_SUCCESS ? adopt_group(below, out) : e;
  };
  s.File_get_group = [](MPI_File file, MPI_Group* out) {
    MPI_Group below = MPI_GROUP_NULL;
    const int e = vendor().File_get_group(file, &below);
    return e == MPI_SUCCESS ? adopt_group(below, out) : e;
  };
}

}  // namespace osteon::bridge
