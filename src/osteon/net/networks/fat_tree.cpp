#include <fmt/format.h>

#include <memory>
#include <osteon/net/networks/network_request.hpp>

namespace osteon::net {

namespace {

// Extended generalised fat tree. A switch of level i has children[i - 1] children and parents[i] parents. PUs have level 0.
// A vertex of level i has the number up_digits + below[i] * (PU / under[i]). The first term encodes the parents on the route
// to the vertex. The second term encodes the block of PUs below the vertex.
struct fat_tree_layout {
  std::vector<int> children, parents;  // children of a switch of level i + 1, and parents of a vertex of level i
  // products: number of PUs below a switch of level i, and number of switches of level i above a PU
  std::vector<int> under, below;
  std::vector<int> first_vertex, first_up, first_down;
  bool single;  // true: the network is one crossbar

  int levels() const { return static_cast<int>(children.size()); }
  template <class T>
  static auto& at(T& list, int i) {
    return list[static_cast<std::size_t>(i)];
  }

  // Parent of a switch for a message to the PU `to`. The child that contains `to` determines the parent. Routes to different
  // PUs of a switch therefore differ.
  int parent_for(int level, int to) const {
    return level == 0 ? 0 : to / at(under, level - 1) % at(children, level - 1) % at(parents, level);
  }

  void append_route(int from, int to, std::vector<int>& path) const {
    if (from == to) return;
    int top = 1;
    while (from / at(under, top) != to / at(under, top)) ++top;
    int digits = 0;  // number that encodes the parents on the route
    for (int i = 0; i < top; ++i) {
      const int v = digits + at(below, i) * (from / at(under, i)), c = parent_for(i, to);
      path.push_back(at(first_up, i) + v * at(parents, i) + c);
      digits += c * at(below, i);
    }
    for (int i = top - 1; i >= 0; --i) {
      const int v = digits % at(below, i) + at(below, i) * (to / at(under, i));
      path.push_back(at(first_down, i) + v * at(parents, i) + parent_for(i, to));
    }
  }

  std::string vertex_name(int v) const {
    if (v < at(first_vertex, 1)) return fmt::format("PU({})", v);
    if (single) return "XB";
    int level = levels();
    while (v < at(first_vertex, level)) --level;
    return fmt::format("S{}({})", level, v - at(first_vertex, level));
  }
};

}  // namespace

network make_fat_tree(const network_request& request) {
  auto l = std::make_shared<fat_tree_layout>();
  l->single = request.kind == topology::crossbar;
  l->children = request.shape;
  l->parents.push_back(1);
  for (std::size_t i = 0; i + 1 < l->children.size(); ++i)
    l->parents.push_back(l->children[i] / request.oversubscription[i]);
  l->under.push_back(1);
  l->below.push_back(1);
  for (std::size_t i = 0; i < l->children.size(); ++i) {
    l->under.push_back(l->under[i] * l->children[i]);
    l->below.push_back(l->below[i] * l->parents[i]);
  }
  network made;
  const int pus = l->under.back();
  made.pus = pus;
  for (std::size_t i = 0; i <= l->children.size(); ++i) {
    l->first_vertex.push_back(made.vertices);
    made.vertices += pus / l->under[i] * l->below[i];
  }
  for (std::size_t i = 0; i < l->children.size(); ++i) {
    const bool top = i > 0 && i + 1 == l->children.size();
    const double rate = i == 0 ? request.pu_rate : top ? request.top_rate : request.rate;
    for (const bool up : {true, false}) {
      (up ? l->first_up : l->first_down).push_back(static_cast<int>(made.links.size()));
      const link_kind kind = i == 0 ? (up ? link_kind::injection : link_kind::ejection)
                             : up   ? link_kind::up
                                    : link_kind::down;
      const int here = pus / l->under[i] * l->below[i];
      for (int v = 0; v < here; ++v)
        for (int c = 0; c < l->parents[i]; ++c) {
          const int child = l->first_vertex[i] + v;
          const int parent = l->first_vertex[i + 1] + v % l->below[i] + c * l->below[i] +
                             l->below[i + 1] * (v / l->below[i] / l->children[i]);
          made.links.push_back({up ? child : parent, up ? parent : child, kind, request.channels, rate, request.latency});
        }
    }
  }
  made.append_route = [l](int from, int to, std::vector<int>& path) { l->append_route(from, to, path); };
  made.vertex_name = [l](int v) { return l->vertex_name(v); };
  return made;
}

}  // namespace osteon::net
