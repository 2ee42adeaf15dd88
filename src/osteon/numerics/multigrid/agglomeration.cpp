#include <osteon/numerics/multigrid/agglomeration.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/exchange_lists.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <utility>

namespace osteon::numerics {

namespace {

constexpr int lists_tag = 600, in_tag = 700, out_tag = 800;
constexpr std::size_t node_bytes = 4 * sizeof(float);

// A node is identified by its place and its number, because copies on periodic faces have equal numbers and different
// places.
struct placed_node {
  std::int64_t place, id;
  auto operator<=>(const placed_node&) const = default;
};

template <class T>
std::size_t total(const std::vector<std::vector<T>>& lists) {
  std::size_t sum = 0;
  for (const auto& list : lists) sum += list.size();
  return sum;
}

// The merged nodes, and the merged number of each node of each member.
std::vector<std::vector<std::int32_t>> merge_nodes(const std::vector<std::vector<placed_node>>& members, brick_mesh& to) {
  std::vector<placed_node> all;
  all.reserve(total(members));
  for (const auto& list : members) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (const placed_node& n : all) {
    to.node_place.push_back(n.place);
    to.node_id.push_back(n.id);
  }
  std::vector<std::vector<std::int32_t>> numbers;
  for (const auto& list : members) {
    std::vector<std::int32_t>& number = numbers.emplace_back();
    for (const placed_node& n : list)
      number.push_back(static_cast<std::int32_t>(std::lower_bound(all.begin(), all.end(), n) - all.begin()));
  }
  return numbers;
}

// First position of each of the planes z_begin ... z_end in a list of places, and the end of the list.
template <class PlaceOf>
std::vector<std::int32_t> plane_begins(const brick_mesh& mesh, std::int64_t z_end, std::size_t size, PlaceOf place_of) {
  const std::int64_t plane = (mesh.lattice.shape.y + 1) * (mesh.lattice.shape.x + 1);
  std::vector<std::int32_t> begins;
  std::size_t i = 0;
  for (std::int64_t z = mesh.z_begin; z <= z_end; ++z) {
    while (i < size && place_of(i) < z * plane) ++i;
    begins.push_back(static_cast<std::int32_t>(i));
  }
  return begins;
}

// A brick of a member, with merged nodes.
struct member_brick {
  std::array<std::int32_t, 8> corners;
  std::int32_t matrix;  // number among the matrices of all members
};

// Bricks with equal corners are merged. The matrix of the merged brick is the sum of their matrices, because each brick has
// the children of one rank.
class matrix_sums {
 public:
  matrix_sums(std::vector<kernel::symmetric24> table, std::vector<char> is_anchored) : table_(std::move(table)) {
    result_.is_anchored.assign(is_anchored.begin(), is_anchored.end());
  }
  void append(const std::vector<std::int32_t>& parts) {
    if (parts.size() == 1) return result_.matrix.push_back(parts.front());
    const auto [entry, is_new] = known_.try_emplace(parts, static_cast<std::int32_t>(table_.size()));
    if (is_new) {
      kernel::symmetric24 sum = table_[at(parts.front())];
      bool is_anchored = result_.is_anchored[at(parts.front())];
      for (std::size_t k = 1; k < parts.size(); ++k) {
        const kernel::symmetric24& part = table_[at(parts[k])];
        for (std::size_t i = 0; i < sum.value.size(); ++i) sum.value[i] += part.value[i];
        is_anchored = is_anchored || result_.is_anchored[at(parts[k])];
      }
      table_.push_back(sum);
      result_.is_anchored.push_back(is_anchored);
    }
    result_.matrix.push_back(entry->second);
  }
  brick_matrices result() {
    result_.table = std::move(table_);
    return std::move(result_);
  }

 private:
  std::vector<kernel::symmetric24> table_;
  std::map<std::vector<std::int32_t>, std::int32_t> known_;
  brick_matrices result_;
};

}  // namespace

int holding_ranks::holder_of(int rank) const {
  for (std::size_t k = 1; k < counts_.size(); ++k) rank = new_holder_of(rank, counts_[k - 1], counts_[k]);
  return rank;
}

int holding_ranks::first_of(int holder) const {
  for (std::size_t k = counts_.size(); k-- > 1;) holder = first_old_of(holder, counts_[k - 1], counts_[k]);
  return holder;
}

std::vector<int> holding_ranks::touching(const grid::block& where, int level, const std::array<bool, 3>& periodic) const {
  if (counts_.size() == 1) return grid::adjacent_ranks(where, level, periodic);
  const int own = comm::rank(where.comm);
  if (count() == 1 || own >= count()) return {};
  return grid::touching_groups(where, level, periodic, first_of(own), first_of(own + 1),
                               [&](int rank) { return holder_of(rank); });
}

agglomeration::agglomeration(MPI_Comm comm, int level, int before, int after, const brick_mesh& from,
                             brick_matrices& matrices)
    : comm_(comm) {
  const int own = comm::rank(comm);
  const int holder = own < before ? holding_ranks::new_holder_of(own, before, after) : 0;
  std::vector<int> to, members;
  if (own < before) to = {holder};
  if (own < after) {
    const int first = holding_ranks::first_old_of(own, before, after);
    members.resize(at(holding_ranks::first_old_of(own + 1, before, after) - first));
    std::iota(members.begin(), members.end(), first);
  }
  const std::string set_up = fmt::format("level {} to {} ranks: set up", level, after);
  const auto gathered = [&](const std::string& name, const auto& list) {
    return comm::exchange_lists(comm, lists_tag, {name + ": sizes", name}, to, members, list);
  };

  std::vector<placed_node> own_nodes;
  for (std::size_t i = 0; i < from.node_id.size(); ++i) own_nodes.push_back({from.node_place[i], from.node_id[i]});
  std::vector<std::int32_t> own_boundary;
  for (const grid::identified_node& n : from.boundary) own_boundary.push_back(n.node);
  const auto planes = gathered(set_up + " of planes", std::vector<std::int64_t>{from.z_begin, from.z_end});
  const auto nodes = gathered(set_up + " of nodes", own_nodes);
  const auto boundary = gathered(set_up + " of shared nodes", own_boundary);
  const auto corners = gathered(set_up + " of bricks", from.corners);

  mesh.lattice = from.lattice;
  bool is_empty = true;
  for (std::size_t m = 0; m < planes.size(); ++m) {
    if (corners[m].empty()) continue;
    mesh.z_begin = is_empty ? planes[m][0] : std::min(mesh.z_begin, planes[m][0]);
    mesh.z_end = is_empty ? planes[m][1] : std::max(mesh.z_end, planes[m][1]);
    is_empty = false;
  }
  const auto numbers = merge_nodes(nodes, mesh);
  std::vector<std::int32_t> shared;
  for (std::size_t m = 0; m < boundary.size(); ++m)
    for (const std::int32_t i : boundary[m]) shared.push_back(numbers[m][at(i)]);
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  for (const std::int32_t i : shared) mesh.boundary.push_back({mesh.node_id[at(i)], i});

  std::vector<member_brick> bricks;
  bricks.reserve(total(corners));
  for (std::size_t m = 0; m < corners.size(); ++m)
    for (const auto& brick : corners[m]) {
      member_brick& merged = bricks.emplace_back();
      for (std::size_t a = 0; a < 8; ++a) merged.corners[a] = numbers[m][at(brick[a])];
    }

  const bool has_values = comm::has_values(comm);
  std::vector<kernel::symmetric24> table;
  std::vector<char> is_anchored;
  if (has_values) {
    const comm::without_counts uncounted(comm);
    // Matrices that are otherwise computed on demand are computed here and sent as matrices.
    brick_matrices sent;
    std::vector<char> own_anchored;
    std::map<std::int32_t, std::int32_t> known;
    for (const std::int32_t matrix : matrices.matrix) {
      const auto [entry, is_new] = known.try_emplace(matrix, static_cast<std::int32_t>(sent.table.size()));
      if (is_new) {
        sent.table.push_back(matrices.of(matrix));
        own_anchored.push_back(matrix >= 0 && matrices.is_anchored[at(matrix)] ? 1 : 0);
      }
      sent.matrix.push_back(entry->second);
    }
    const auto all_matrix = gathered(set_up, sent.matrix);
    const auto all_tables = gathered(set_up, sent.table);
    const auto all_anchored = gathered(set_up, own_anchored);
    auto brick = bricks.begin();
    for (std::size_t m = 0; m < all_matrix.size(); ++m) {
      for (const std::int32_t matrix : all_matrix[m]) (brick++)->matrix = static_cast<std::int32_t>(table.size()) + matrix;
      table.insert(table.end(), all_tables[m].begin(), all_tables[m].end());
      is_anchored.insert(is_anchored.end(), all_anchored[m].begin(), all_anchored[m].end());
    }
  }
  // This is the z, y, x order, because the numbers of nodes ascend with their places.
  std::stable_sort(bricks.begin(), bricks.end(),
                   [](const member_brick& a, const member_brick& b) { return a.corners < b.corners; });
  matrix_sums sums(std::move(table), std::move(is_anchored));
  std::vector<std::int32_t> parts;
  for (auto begin = bricks.begin(), end = begin; begin != bricks.end(); begin = end) {
    parts.clear();
    for (; end != bricks.end() && end->corners == begin->corners; ++end) parts.push_back(end->matrix);
    mesh.corners.push_back(begin->corners);
    if (has_values) sums.append(parts);
  }
  matrices = has_values ? sums.result() : brick_matrices{};
  mesh.plane_begin = plane_begins(mesh, mesh.z_end, mesh.corners.size(),
                                  [&](std::size_t e) { return mesh.node_place[at(mesh.corners[e][0])]; });
  mesh.node_plane_begin =
      plane_begins(mesh, mesh.z_end + 1, mesh.node_place.size(), [&](std::size_t i) { return mesh.node_place[i]; });

  // The local vector is sent to the new holder, and the values of the holder are received.
  plan::neighbour_part in{fmt::format("level {} to {} ranks", level, after), {}, {}, plan::arrival::add};
  plan::neighbour_part out{fmt::format("level {} from {} ranks", level, after), {}, {}, plan::arrival::place};
  const std::int64_t size = std::ssize(from.node_id);
  if (own < before) {
    in.sends.push_back({.peer = holder, .run = {0, size}});
    out.receives.push_back({.peer = holder, .run = {0, size}});
  }
  for (std::size_t m = 0; m < numbers.size(); ++m) {
    const int member = members[m];
    in.receives.push_back({.peer = member, .list = numbers[m]});
    out.sends.push_back({.peer = member, .list = numbers[m]});
  }
  in_ = comm::neighbours(comm, in_tag, std::move(in));
  out_ = comm::neighbours(comm, out_tag, std::move(out));
  if (has_values) local_.assign(4 * at(size), 0.0F);
}

void agglomeration::gather(std::span<float> merged) {
  if (!comm::has_values(comm_)) return in_.count_messages(node_bytes);
  in_.begin(local_.data(), node_bytes);
  in_.wait();
  std::fill(merged.begin(), merged.end(), 0.0F);
  const auto& messages = in_.part().receives;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const float* value = in_.received_as<float>(m).data();
    for (const std::int32_t node : messages[m].list)
      for (int c = 0; c < 4; ++c) merged[4 * at(node) + at(c)] += *value++;
  }
}

void agglomeration::scatter(std::span<const float> merged) {
  if (!comm::has_values(comm_)) return out_.count_messages(node_bytes);
  out_.begin(merged.data(), node_bytes);
  out_.end(local_.data());
}

}  // namespace osteon::numerics
