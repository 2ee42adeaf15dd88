#include <osteon/physics/elasticity/solver/part_motions.hpp>

#include <algorithm>
#include <osteon/base/at.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <set>

namespace osteon::physics {

namespace {

struct met_part {
  index3 node;
  std::int64_t part;
};

using node_key = std::array<std::int64_t, 3>;
using bodies_at_nodes = std::map<node_key, std::set<std::int32_t>>;

// A graph of bodies and places. An edge connects a body and a place. Vertex 0 represents all supported bodies.
class place_graph {
 public:
  explicit place_graph(std::int32_t bodies) : edges_of_(at(bodies)) {}

  std::int32_t add_place() {
    edges_of_.emplace_back();
    return static_cast<std::int32_t>(edges_of_.size()) - 1;
  }

  void join(std::int32_t a, std::int32_t b) {
    edges_of_[at(a)].push_back({b, edges_});
    edges_of_[at(b)].push_back({a, edges_});
    ++edges_;
  }

  // Vertices that remain connected to vertex 0 after the removal of any single edge. A depth-first search finds the bridges
  // of the graph.
  std::vector<bool> not_separable() const {
    struct step {
      std::int32_t vertex, by_edge;
      std::size_t next;
    };
    const std::size_t count = edges_of_.size();
    std::vector<std::int32_t> order(count, -1), low(count), parent(count, -1), visited;
    std::vector<step> way{{0, -1, 0}};
    order[0] = low[0] = 0;
    visited.push_back(0);
    while (!way.empty()) {
      step& at_vertex = way.back();
      const auto v = at(at_vertex.vertex);
      if (at_vertex.next == edges_of_[v].size()) {
        way.pop_back();
        if (parent[v] >= 0) low[at(parent[v])] = std::min(low[at(parent[v])], low[v]);
        continue;
      }
      const auto [other, edge] = edges_of_[v][at_vertex.next++];
      if (edge == at_vertex.by_edge) continue;
      if (order[at(other)] >= 0) {
        low[v] = std::min(low[v], order[at(other)]);
        continue;
      }
      order[at(other)] = low[at(other)] = static_cast<std::int32_t>(visited.size());
      parent[at(other)] = static_cast<std::int32_t>(v);
      visited.push_back(other);
      way.push_back({other, edge, 0});
    }
    std::vector<bool> kept(count, false);
    for (const std::int32_t v : visited)
      kept[at(v)] = v == 0 || (kept[at(parent[at(v)])] && low[at(v)] <= order[at(parent[at(v)])]);
    return kept;
  }

 private:
  std::vector<std::vector<std::array<std::int32_t, 2>>> edges_of_;  // edges of each vertex: other vertex, number of the edge
  std::int32_t edges_ = 0;
};

// Add the common nodes of bodies as places. Adjacent nodes of a pair of bodies form one place.
void add_joints(place_graph& graph, const bodies_at_nodes& nodes) {
  std::map<node_key, std::int32_t> number;
  for (const auto& [key, bodies] : nodes) number.emplace(key, static_cast<std::int32_t>(number.size()));
  disjoint_sets places(nodes.size());
  for (const auto& [key, bodies] : nodes)
    for (std::size_t a = 0; a < 3; ++a) {
      node_key next = key;
      ++next[a];
      const auto found = nodes.find(next);
      if (found == nodes.end()) continue;
      const auto meets = [&](std::int32_t body) { return found->second.contains(body); };
      if (std::count_if(bodies.begin(), bodies.end(), meets) >= 2) places.unite(number.at(key), number.at(next));
    }
  std::map<std::int32_t, std::set<std::int32_t>> bodies_of_place;
  for (const auto& [key, bodies] : nodes) bodies_of_place[places.find(number.at(key))].insert(bodies.begin(), bodies.end());
  for (const auto& [root, bodies] : bodies_of_place) {
    const std::int32_t place = graph.add_place();
    for (const std::int32_t body : bodies) graph.join(place, body);
  }
}

std::vector<std::uint8_t> spanning(const std::vector<met_part>& met, const std::vector<std::int32_t>& body_of,
                                   const part_plates& plates) {
  bodies_at_nodes nodes;
  for (const met_part& m : met)
    if (body_of[at(m.part)] == 0 || plates.ignored[at(m.part)] == 0)  // any supported body belongs to the ground
      nodes[{m.node.z, m.node.y, m.node.x}].insert(body_of[at(m.part)]);
  std::erase_if(nodes, [](const auto& entry) { return entry.second.size() < 2; });
  place_graph graph(*std::max_element(body_of.begin(), body_of.end()) + 1);
  add_joints(graph, nodes);
  std::set<std::array<std::int32_t, 2>> touched;
  for (std::size_t p = 0; p < body_of.size(); ++p)
    for (int bit = 0; bit < 31 && plates.ignored[p] == 0 && body_of[p] > 0; ++bit)
      if ((plates.touched[p] >> bit & 1) != 0) touched.insert({body_of[p], bit});
  for (const auto& [body, bit] : touched) {
    const std::int32_t place = graph.add_place();
    graph.join(place, body);
    graph.join(place, 0);
  }
  const std::vector<bool> kept = graph.not_separable();
  std::vector<std::uint8_t> spans(body_of.size());
  for (std::size_t p = 0; p < spans.size(); ++p) spans[p] = body_of[p] > 0 && plates.ignored[p] == 0 && kept[at(body_of[p])];
  return spans;
}

}  // namespace

std::vector<std::uint8_t> find_spanning_parts(const solid_parts& parts, part_motions& joint, const part_plates& plates) {
  const std::vector<motion_mask> motions = joint.free_motions();
  std::vector<std::uint8_t> spans(motions.size());
  if (std::all_of(motions.begin(), motions.end(), [](motion_mask m) { return m == 0; })) return spans;
  std::vector<met_part> mine;
  comm::collectively(parts.comm(), [&] {
    for (const meeting_node& m : parts.meetings()) {
      if (!parts.owns(m.node)) continue;
      if (std::all_of(m.parts.begin(), m.parts.end(), [&](std::int32_t p) { return motions[at(p)] == 0; })) continue;
      for (const std::int32_t p : m.parts) mine.push_back({m.place, p});
    }
  });
  const std::vector<met_part> met = comm::gather_on_first(parts.comm(), mine).values;
  comm::collectively(parts.comm(), [&] {
    if (comm::rank(parts.comm()) == 0) spans = spanning(met, joint.bodies(), plates);
  });
  MPI_Bcast(spans.data(), static_cast<int>(spans.size()), MPI_UINT8_T, 0, parts.comm());
  return spans;
}

}  // namespace osteon::physics
