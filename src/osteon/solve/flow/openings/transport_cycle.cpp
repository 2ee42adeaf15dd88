#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/solve/flow/openings/transport_cycle.hpp>

namespace osteon::solve {

namespace {

constexpr int transport_sweeps = 2;  // each forth and back, before and after the correction
constexpr int coarsest_transport_sweeps = 20;
constexpr std::size_t coarsest_transport = 40;  // unknowns
constexpr float transport_shortening = 0.5F;    // centres of aggregates are twice as far apart

}  // namespace

// What the rows are made of: friction and half of the flow out, of each side; both belong to coarse levels, too.
struct transport_cycle::graph {
  struct side {
    std::int32_t to;
    float friction, half_flow;
  };
  struct place {
    std::int32_t z, y, x;
    bool operator==(const place&) const = default;
  };
  std::vector<std::int32_t> begin{0};
  std::vector<side> sides;
  std::vector<float> loose;  // on the diagonal: walls, and sides beyond which the velocity is known
  std::vector<place> places;
};

transport_cycle::transport_cycle(const flow_cells& cells, const flow_convection& flow, std::size_t component, float held)
    : owned_(cells.grid.owned) {
  const std::vector<std::uint8_t>& friction = cells.friction[component];
  std::vector<std::int32_t> number(at(cells.grid.size), -1);
  graph g;
  for (std::int32_t i = 0; i < owned_; ++i)
    if (friction[at(i)] != 0) number[at(i)] = static_cast<std::int32_t>(cell_.size()), cell_.push_back(i);
  g.places.resize(cell_.size());
  const index3 origin = cells.grid.where.owned.begin;
  for (const voxel::run& r : cells.numbers.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      if (const std::int32_t k = number[at(r.first + n)]; k >= 0)
        g.places[at(k)] = {static_cast<std::int32_t>(origin.z) + r.z, static_cast<std::int32_t>(origin.y) + r.y,
                           static_cast<std::int32_t>(origin.x) + r.x + n};
  g.loose.resize(cell_.size());
  for (std::size_t k = 0; k < cell_.size(); ++k)
    g.loose[k] = static_cast<float>(cells.diagonal[component][friction[at(cell_[k])]]);
  for (const kernel::stokes_open_face& f : cells.open_faces)
    if (at(f.axis) == component) g.loose[at(number[at(f.cell)])] = static_cast<float>(f.diagonal);
  struct listed {
    std::int32_t from;
    graph::side side;
  };
  std::vector<listed> all;
  flow.visit_sides(component, [&](std::int32_t i, std::int32_t j, float weight, float half_flow) {
    const std::int32_t from = number[at(i)], to = j < 0 || j >= owned_ ? -1 : number[at(j)];
    float& loose = g.loose[at(from)];
    if (j == -2) {
      loose += std::max(half_flow, 0.0F);
    } else if (to < 0) {
      if (j >= 0) loose += std::max(0.0F, std::abs(half_flow) - weight);
    } else {
      loose -= weight;
      all.push_back({from, {to, weight, half_flow}});
    }
  });
  std::stable_sort(all.begin(), all.end(), [](const listed& a, const listed& b) { return a.from < b.from; });
  g.begin.assign(cell_.size() + 1, 0);
  for (const listed& s : all) ++g.begin[at(s.from) + 1], g.sides.push_back(s.side);
  for (std::size_t k = 0; k < cell_.size(); ++k) g.begin[k + 1] += g.begin[k];
  for (float& l : g.loose) l = std::max(l, 0.0F) + held;

  for (;;) {
    levels_.push_back(rows_of(g));
    if (g.places.size() <= coarsest_transport) break;
    std::vector<std::int32_t> parent;
    graph next = coarsened(g, parent);
    if (4 * next.places.size() > 3 * g.places.size()) break;
    levels_.back().parent = std::move(parent);
    g = std::move(next);
  }
}

transport_cycle::level transport_cycle::rows_of(const graph& g) {
  level l;
  const std::size_t rows = g.places.size();
  l.begin = g.begin;
  l.entries.reserve(g.sides.size());
  l.inverse.resize(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    float diagonal = g.loose[k];
    for (std::int32_t e = g.begin[k]; e < g.begin[k + 1]; ++e) {
      const graph::side& s = g.sides[at(e)];
      const float excess = std::max(0.0F, std::abs(s.half_flow) - s.friction);
      diagonal += s.friction + excess;
      l.entries.push_back({s.to, s.friction + excess - s.half_flow});
    }
    l.inverse[k] = diagonal > 0 ? 1 / diagonal : 0;
  }
  l.right.resize(rows);
  l.x.resize(rows);
  return l;
}

transport_cycle::graph transport_cycle::coarsened(const graph& fine, std::vector<std::int32_t>& parent) {
  const auto block = [](graph::place p) { return graph::place{p.z >> 1, p.y >> 1, p.x >> 1}; };
  const auto rows = static_cast<std::int32_t>(fine.places.size());
  disjoint_sets sets(fine.places.size());
  for (std::int32_t k = 0; k < rows; ++k)
    for (std::int32_t e = fine.begin[at(k)]; e < fine.begin[at(k) + 1]; ++e)
      if (const std::int32_t to = fine.sides[at(e)].to; to < k && block(fine.places[at(to)]) == block(fine.places[at(k)]))
        sets.unite(k, to);
  graph coarse;
  parent = sets.number([&](std::int32_t k) { coarse.places.push_back(block(fine.places[at(k)])); });
  coarse.loose.resize(coarse.places.size());
  std::vector<std::vector<graph::side>> sides(coarse.places.size());
  for (std::int32_t k = 0; k < rows; ++k) {
    const std::int32_t own = parent[at(k)];
    coarse.loose[at(own)] += fine.loose[at(k)];
    for (std::int32_t e = fine.begin[at(k)]; e < fine.begin[at(k) + 1]; ++e) {
      const graph::side& s = fine.sides[at(e)];
      const std::int32_t to = parent[at(s.to)];
      if (to == own) continue;
      auto& row = sides[at(own)];
      const auto found = std::find_if(row.begin(), row.end(), [&](const graph::side& other) { return other.to == to; });
      graph::side& sum = found == row.end() ? row.emplace_back(graph::side{to, 0, 0}) : *found;
      sum.friction += transport_shortening * s.friction;
      sum.half_flow += s.half_flow;
    }
  }
  for (const auto& row : sides) {
    coarse.sides.insert(coarse.sides.end(), row.begin(), row.end());
    coarse.begin.push_back(static_cast<std::int32_t>(coarse.sides.size()));
  }
  return coarse;
}

void transport_cycle::sweep(level& l, bool forth) {
  const auto rows = static_cast<std::int32_t>(l.inverse.size());
  float* const x = l.x.data();
  for (std::int32_t n = 0; n < rows; ++n) {
    const std::int32_t k = forth ? n : rows - 1 - n;
    float sum = l.right[at(k)];
    for (std::int32_t e = l.begin[at(k)]; e < l.begin[at(k) + 1]; ++e)
      sum += l.entries[at(e)].value * x[l.entries[at(e)].column];
    x[k] = l.inverse[at(k)] * sum;
  }
}

void transport_cycle::cycle(std::size_t n) {
  level& l = levels_[n];
  if (n + 1 == levels_.size()) {
    for (int k = 0; k < coarsest_transport_sweeps; ++k) sweep(l, true), sweep(l, false);
    return;
  }
  level& next = levels_[n + 1];
  for (int k = 0; k < transport_sweeps; ++k) sweep(l, true), sweep(l, false);
  const int corrections = n == 0 ? 1 : 2;
  for (int c = 0; c < corrections; ++c) {
    std::fill(next.right.begin(), next.right.end(), 0.0F);
    std::fill(next.x.begin(), next.x.end(), 0.0F);
    const auto rows = static_cast<std::int32_t>(l.inverse.size());
    for (std::int32_t k = 0; k < rows; ++k) {
      if (l.inverse[at(k)] == 0) continue;
      float sum = l.right[at(k)] - l.x[at(k)] / l.inverse[at(k)];
      for (std::int32_t e = l.begin[at(k)]; e < l.begin[at(k) + 1]; ++e)
        sum += l.entries[at(e)].value * l.x[at(l.entries[at(e)].column)];
      next.right[at(l.parent[at(k)])] += sum;
    }
    cycle(n + 1);
    for (std::int32_t k = 0; k < rows; ++k) l.x[at(k)] += next.x[at(l.parent[at(k)])];
    for (int k = 0; k < transport_sweeps; ++k) sweep(l, true), sweep(l, false);
  }
}

void transport_cycle::apply(const float* r, float* z) {
  std::fill_n(z, owned_, 0.0F);
  if (cell_.empty()) return;
  level& l = levels_.front();
  for (std::size_t k = 0; k < cell_.size(); ++k) l.right[k] = r[cell_[k]];
  std::fill(l.x.begin(), l.x.end(), 0.0F);
  cycle(0);
  for (std::size_t k = 0; k < cell_.size(); ++k) z[cell_[k]] = l.x[k];
}

}  // namespace osteon::solve
