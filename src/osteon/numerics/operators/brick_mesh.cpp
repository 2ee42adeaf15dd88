#include <osteon/numerics/operators/brick_mesh.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/splitmix.hpp>
#include <osteon/comm/virtual_ranks.hpp>

namespace osteon::numerics {

namespace {

struct child {
  std::int32_t parent_place;  // in its plane of parents
  std::int32_t number;
  int octant;
  std::array<std::int32_t, 8> corners;
};

// A node number that is equal on all ranks. Nodes of one place differ in the smallest child that depends on the node. A hash
// collision merges two nodes. The mesh is then slightly coarser, but remains valid.
std::int64_t scrambled_id(std::int64_t place, std::int64_t label) {
  return static_cast<std::int64_t>(
      mix_bits(static_cast<std::uint64_t>(place) * splitmix_increment + static_cast<std::uint64_t>(label)));
}

// Builds the parents plane by plane, then their nodes.
class coarsening {
 public:
  coarsening(MPI_Comm comm, const child_bricks& children) : comm_(comm), children_(children) {
    brick_lattice& to = mesh().lattice;
    const brick_lattice& from = children.lattice;
    for (int d = 0; d < 3; ++d) {
      const auto a = static_cast<std::size_t>(d);
      const bool is_odd = from.shape[d] % 2 == 1;
      to.shape[d] = (from.shape[d] + 1) / 2;
      to.periodic[a] = from.periodic[a];
      if (!to.periodic[a]) continue;  // the last brick may extend beyond the end
      to.last[a] = is_odd ? from.last[a] / 2 : (1 + from.last[a]) / 2;
      result_.middle[a] = is_odd ? 1 : 1 / (1 + from.last[a]);
      is_undivided_[a] = is_odd;
    }
    mesh().z_begin = children.z_begin / 2;
    mesh().z_end = (children.z_end + 1) / 2;
    result_.node_brick.assign(children.node_id.size(), -1);
    result_.node_place.assign(children.node_id.size(), 0);
  }

  coarse_mesh run() {
    for (std::int64_t z = mesh().z_begin; z < mesh().z_end; ++z) make_plane(z);
    mesh().plane_begin.push_back(bricks());
    number_nodes();
    merge_bricks();
    return std::move(result_);
  }

 private:
  brick_mesh& mesh() { return result_.mesh; }
  std::int32_t bricks() const { return static_cast<std::int32_t>(brick_place_.size()); }

  void make_plane(std::int64_t z) {
    mesh().plane_begin.push_back(bricks());
    const index3 shape = mesh().lattice.shape;
    in_plane_.clear();
    const auto first_child = static_cast<std::int32_t>(result_.parent.size());
    for (std::int64_t below = std::max(children_.z_begin, 2 * z); below < std::min(children_.z_end, 2 * z + 2); ++below)
      children_.visit_plane(below, [&](std::int64_t y, std::int64_t x, const std::array<std::int32_t, 8>& corners) {
        in_plane_.push_back({static_cast<std::int32_t>(y / 2 * shape.x + x / 2),
                             first_child + static_cast<std::int32_t>(in_plane_.size()),
                             static_cast<int>(4 * (below & 1) + 2 * (y & 1) + (x & 1)), corners});
      });
    result_.parent.resize(result_.parent.size() + in_plane_.size());
    sort_by_place(static_cast<std::size_t>(shape.y * shape.x));
    for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
      while (end < sorted_.size() && sorted_[end].parent_place == sorted_[begin].parent_place) ++end;
      make_bricks(z, std::span(sorted_).subspan(begin, end - begin));
    }
  }

  void sort_by_place(std::size_t places) {
    place_begin_.assign(places + 1, 0);
    for (const child& c : in_plane_) ++place_begin_[static_cast<std::size_t>(c.parent_place) + 1];
    std::partial_sum(place_begin_.begin(), place_begin_.end(), place_begin_.begin());
    sorted_.resize(in_plane_.size());
    for (const child& c : in_plane_)
      sorted_[static_cast<std::size_t>(place_begin_[static_cast<std::size_t>(c.parent_place)]++)] = c;
  }

  // Make the bricks of one place. Voxels share the node in the middle of the place and have one parent. Other children
  // initially have one parent each; parents with equal corners are merged later.
  void make_bricks(std::int64_t z, std::span<const child> group) {
    const index3 shape = mesh().lattice.shape;
    const index3 at{z, group[0].parent_place / shape.x, group[0].parent_place % shape.x};
    const int kind = brick_kind(result_, at);
    std::uint32_t united = 0;  // places of voxels: up to eight voxels share one node at each place
    for (const child& c : group) {
      if (!children_.are_voxels || &c == group.data()) {
        brick_place_.push_back((at.z * (shape.y + 1) + at.y) * (shape.x + 1) + at.x);
        sets_.grow(8);
      }
      const std::int32_t brick = bricks() - 1;
      result_.parent[static_cast<std::size_t>(c.number)] = brick;
      for (int a = 0; a < 8; ++a) {
        const auto node = static_cast<std::size_t>(c.corners[static_cast<std::size_t>(a)]);
        const int place = place_of_corner(c.octant, a, kind);
        if (result_.node_brick[node] < 0) {
          result_.node_brick[node] = brick;
          result_.node_place[node] = static_cast<std::uint8_t>(27 * kind + place);
        } else if (result_.node_brick[node] != brick && !(children_.are_voxels && united >> place & 1)) {
          unite_corners(node, brick, place);
          united |= std::uint32_t{1} << place;
        }
      }
    }
  }

  int place_of_corner(int octant, int corner, int kind) const {
    int place = 0;
    for (int d = 0; d < 3; ++d) {
      const int bit = 4 >> d, upper = corner & bit ? 1 : 0;
      const bool is_whole = kind & bit && is_undivided_[static_cast<std::size_t>(d)];
      place = 3 * place + (is_whole ? 2 * upper : upper + (octant & bit ? 1 : 0));
    }
    return place;
  }

  // A child node of several bricks depends on the same nodes through each of these bricks.
  void unite_corners(std::size_t node, std::int32_t brick, int place) {
    const int first_place = result_.node_place[node] % 27;
    for (int k = 0; k < parents_of_place.count[place]; ++k)
      sets_.unite(8 * result_.node_brick[node] + parents_of_place.corner[first_place][k],
                  8 * brick + parents_of_place.corner[place][k]);
  }

  void number_nodes() {
    // Determine nodes from the data of this rank.
    std::vector<std::int32_t> node_of_slot(8 * brick_place_.size(), -1);
    std::vector<std::int64_t> place;
    const index3 shape = mesh().lattice.shape;
    for (std::size_t slot = 0; slot < node_of_slot.size(); ++slot) {
      const auto root = static_cast<std::size_t>(sets_.find(static_cast<std::int32_t>(slot)));
      if (root == slot) {  // the root is the smallest member and therefore the first
        node_of_slot[slot] = static_cast<std::int32_t>(place.size());
        const auto a = static_cast<std::int64_t>(slot % 8);
        place.push_back(brick_place_[slot / 8] + ((a >> 2) * (shape.y + 1) + (a >> 1 & 1)) * (shape.x + 1) + (a & 1));
      }
      node_of_slot[slot] = node_of_slot[root];
    }
    sets_ = disjoint_sets();
    const auto parent_of = [&](std::size_t child_node, int k) {
      const auto corner = parents_of_place.corner[result_.node_place[child_node] % 27][k];
      return static_cast<std::size_t>(node_of_slot[static_cast<std::size_t>(8 * result_.node_brick[child_node] + corner)]);
    };
    const auto parents = [&](std::size_t child_node) { return parents_of_place.count[result_.node_place[child_node] % 27]; };

    std::vector<std::int64_t> label(place.size(), std::numeric_limits<std::int64_t>::max());
    for (std::size_t n = 0; n < children_.node_id.size(); ++n)
      for (int k = 0; k < parents(n); ++k) {
        std::int64_t& smallest = label[parent_of(n, k)];
        smallest = std::min(smallest, children_.node_id[n]);
      }
    const std::vector<bool> may_have_copies = agree_on_labels(label, parents, parent_of);

    // At this point, nodes merged by other ranks have equal labels.
    std::vector<std::int32_t> order(place.size()), number(place.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::int32_t i) {
      return std::pair(place[static_cast<std::size_t>(i)], label[static_cast<std::size_t>(i)]);
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = static_cast<std::size_t>(order[i]);
      if (i == 0 || key(order[i]) != key(order[i - 1])) {
        mesh().node_place.push_back(place[at]);
        mesh().node_id.push_back(scrambled_id(wrapped(place[at]), label[at]));
      }
      number[at] = static_cast<std::int32_t>(mesh().node_id.size()) - 1;
      if (may_have_copies[at]) mesh().boundary.push_back({mesh().node_id.back(), number[at]});
    }
    const auto same = [](const grid::identified_node& a, const grid::identified_node& b) { return a.node == b.node; };
    mesh().boundary.erase(std::unique(mesh().boundary.begin(), mesh().boundary.end(), same), mesh().boundary.end());

    mesh().corners.resize(node_of_slot.size() / 8);
    for (std::size_t slot = 0; slot < node_of_slot.size(); ++slot)
      mesh().corners[slot / 8][slot % 8] = number[static_cast<std::size_t>(node_of_slot[slot])];
    const std::int64_t plane = (shape.y + 1) * (shape.x + 1);
    const auto& places = mesh().node_place;
    for (std::int64_t z = mesh().z_begin; z <= mesh().z_end + 1; ++z)
      mesh().node_plane_begin.push_back(
          static_cast<std::int32_t>(std::lower_bound(places.begin(), places.end(), z * plane) - places.begin()));
  }

  // Merge bricks with equal corners.
  void merge_bricks() {
    auto& corners = mesh().corners;
    if (children_.are_voxels) return;
    std::vector<std::int32_t> number(corners.size()), order(corners.size());
    std::iota(order.begin(), order.end(), 0);
    const auto corners_of = [&](std::int32_t e) -> const auto& { return corners[static_cast<std::size_t>(e)]; };
    std::vector<std::array<std::int32_t, 8>> merged;
    std::size_t plane = 0;
    for (auto begin = order.begin(); begin != order.end();) {
      const auto place = [&](std::int32_t e) { return brick_place_[static_cast<std::size_t>(e)]; };
      const auto end = std::find_if(begin, order.end(), [&](std::int32_t e) { return place(e) != place(*begin); });
      while (mesh().plane_begin[plane] <= *begin) mesh().plane_begin[plane++] = static_cast<std::int32_t>(merged.size());
      std::stable_sort(begin, end, [&](std::int32_t a, std::int32_t b) { return corners_of(a) < corners_of(b); });
      for (auto e = begin; e != end; ++e) {
        if (e == begin || corners_of(*e) != corners_of(*(e - 1))) merged.push_back(corners_of(*e));
        number[static_cast<std::size_t>(*e)] = static_cast<std::int32_t>(merged.size()) - 1;
      }
      begin = end;
    }
    for (; plane < mesh().plane_begin.size(); ++plane) mesh().plane_begin[plane] = static_cast<std::int32_t>(merged.size());
    corners = std::move(merged);
    for (auto* list : {&result_.parent, &result_.node_brick})
      for (std::int32_t& brick : *list) brick = number[static_cast<std::size_t>(brick)];
  }

  // Assign the smallest label of all copies to each node. If a child node has copies, the nodes on which the child node
  // depends also have copies. Child nodes therefore identify copies of these nodes. The exchange of labels is repeated until
  // no label changes, usually a few times.
  template <class Parents, class ParentOf>
  std::vector<bool> agree_on_labels(std::vector<std::int64_t>& label, Parents parents, ParentOf parent_of) {
    std::vector<bool> may_have_copies(label.size());
    const auto copied = children_.shared->with_copies();
    std::vector<std::int64_t> values(8 * copied.size());
    for (int changed = 1; changed;) {
      changed = 0;
      for (std::size_t i = 0; i < copied.size(); ++i)
        for (int k = 0; k < parents(static_cast<std::size_t>(copied[i])); ++k) {
          const std::size_t node = parent_of(static_cast<std::size_t>(copied[i]), k);
          values[8 * i + static_cast<std::size_t>(k)] = label[node];
          may_have_copies[node] = true;
        }
      children_.shared->exchange_min(values, 8);
      for (std::size_t i = 0; i < copied.size(); ++i)
        for (int k = 0; k < parents(static_cast<std::size_t>(copied[i])); ++k) {
          std::int64_t& mine = label[parent_of(static_cast<std::size_t>(copied[i]), k)];
          const std::int64_t smallest = values[8 * i + static_cast<std::size_t>(k)];
          changed |= smallest < mine;
          mine = std::min(mine, smallest);
        }
      changed = comm::max_over_ranks(comm_, changed);
    }
    return may_have_copies;
  }

  std::int64_t wrapped(std::int64_t place) {
    const brick_lattice& lattice = mesh().lattice;
    index3 at{place / (lattice.shape.x + 1) / (lattice.shape.y + 1), place / (lattice.shape.x + 1) % (lattice.shape.y + 1),
              place % (lattice.shape.x + 1)};
    for (int d = 0; d < 3; ++d)
      if (lattice.periodic[static_cast<std::size_t>(d)] && at[d] == lattice.shape[d]) at[d] = 0;
    return (at.z * (lattice.shape.y + 1) + at.y) * (lattice.shape.x + 1) + at.x;
  }

  MPI_Comm comm_;
  const child_bricks& children_;
  coarse_mesh result_;
  std::array<bool, 3> is_undivided_{};  // the last parent along the axis has children in its lower half only
  std::vector<child> in_plane_, sorted_;
  std::vector<std::int32_t> place_begin_;
  std::vector<std::int64_t> brick_place_;  // position of a brick's lowest corner in the lattice of nodes
  disjoint_sets sets_;                     // sets of the corners, 8 (brick) + corner
};

}  // namespace

int brick_kind(const coarse_mesh& mesh, index3 place) {
  int kind = 0;
  for (int d = 0; d < 3; ++d)
    if (mesh.middle[static_cast<std::size_t>(d)] != 0.5 && place[d] + 1 == mesh.mesh.lattice.shape[d]) kind |= 4 >> d;
  return kind;
}

coarse_mesh coarsen(MPI_Comm comm, const child_bricks& children) { return coarsening(comm, children).run(); }

child_bricks children_of(const brick_mesh& mesh, const grid::shared_nodes& shared) {
  const auto visit = [&mesh](std::int64_t z, const brick_visitor& visitor) {
    const auto plane = static_cast<std::size_t>(z - mesh.z_begin);
    const std::int64_t width = mesh.lattice.shape.x + 1, height = mesh.lattice.shape.y + 1;
    for (std::int32_t e = mesh.plane_begin[plane]; e < mesh.plane_begin[plane + 1]; ++e) {
      const auto& corners = mesh.corners[static_cast<std::size_t>(e)];
      const std::int64_t place = mesh.node_place[static_cast<std::size_t>(corners[0])];
      visitor(place / width % height, place % width, corners);
    }
  };
  return {mesh.lattice, mesh.z_begin, mesh.z_end, mesh.node_id, &shared, false, visit};
}

}  // namespace osteon::numerics
