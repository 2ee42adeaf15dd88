#include <osteon/physics/flow/solver/transport/transport_level.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/multigrid/aggregate_forest.hpp>
#include <osteon/numerics/multigrid/aggregation.hpp>
#include <osteon/numerics/multigrid/coarse_halo.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

using carried_link = transport_geometry::link;
using carried_point = transport_geometry::point;
using carried_place = transport_geometry::place;

// Coupling of a point to its neighbour per kelvin in the hybrid scheme.
float coupling_of(const carried_link& l) {
  const float mixed = std::min(l.comes, l.goes), net = l.comes - l.goes;
  // Half of the net flow is central. If conduction is too weak, the scheme is upwind.
  return mixed + (net >= 0 ? std::max(l.conductance + net / 2, net) : std::max(l.conductance + net / 2, 0.0F));
}

carried_place block_of(carried_place p, const std::array<int, 3>& step) {
  return {p.z >> step[0], p.y >> step[1], p.x >> step[2]};
}

// Distance between two points. In a periodic box, the distance is the shortest distance between periodic images.
float distance_of(const carried_point& a, const carried_point& b, const std::array<float, 3>& period) {
  float sum = 0;
  for (std::size_t n = 0; n < 3; ++n) {
    float along = std::abs(a.centre[n] - b.centre[n]);
    if (period[n] > 0 && along > period[n] / 2) along = std::abs(period[n] - along);
    sum += along * along;
  }
  return std::sqrt(sum);
}

// Reduce the conductance in the same way as for conduction. The plain sum would be too stiff, because this sum contains the
// distances between the finer points.
float shortened(float fine, float coarse) { return std::clamp(fine / std::max(coarse, 1e-30F), 0.5F, 1.0F); }

}  // namespace

transport_geometry geometry_of(const transport_cells& cells) {
  const heat_cells& grid = cells.grid;
  transport_geometry g;
  g.spacing_mm = grid.spacing_mm;
  g.domain = grid.where.domain;
  for (int a = 0; a < 3; ++a)
    if (grid.periodic[at(a)]) g.period[at(a)] = static_cast<float>(static_cast<double>(g.domain[a]) * g.spacing_mm[a]);
  g.between = grid.links;
  g.ghosts = grid.walls - grid.owned;
  g.loose.assign(cells.loose.begin(), cells.loose.end());
  g.points.resize(at(grid.walls));
  g.places.resize(at(grid.owned));
  const index3 begin = grid.where.owned.begin;
  // Ghosts also have centres. The runs determine the numbers of ghosts.
  for (const voxel::run& r : grid.cells.runs)
    for (std::int32_t n = 0; n < r.length; ++n) {
      const carried_place p{static_cast<std::int32_t>(begin.z + r.z), static_cast<std::int32_t>(begin.y + r.y),
                            static_cast<std::int32_t>(begin.x + r.x + n)};
      const std::size_t i = at(r.first + n);
      g.points[i].centre = {static_cast<float>((p.z + 0.5) * g.spacing_mm.z),
                            static_cast<float>((p.y + 0.5) * g.spacing_mm.y),
                            static_cast<float>((p.x + 0.5) * g.spacing_mm.x)};
      if (i < g.places.size()) g.places[i] = p;
    }
  g.links.reserve(6 * at(grid.owned));
  visit_neighbours(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    for (std::size_t d = 0; d < 6; ++d)
      if (const std::int32_t j = near[d]; j >= 0) {
        const double out = cells.leaves(i, j, d);
        g.links.push_back({i, j, static_cast<float>(cells.conductance(i, j, d / 2)), static_cast<float>(std::max(0.0, -out)),
                           static_cast<float>(std::max(0.0, out))});
      }
  });
  std::stable_sort(g.links.begin(), g.links.end(),
                   [](const carried_link& a, const carried_link& b) { return a.from < b.from; });
  return g;
}

transport_rows rows_of(transport_geometry& geometry) {
  transport_rows k;
  const std::size_t rows = geometry.loose.size();
  k.begin.assign(1, 0);
  k.begin.reserve(rows + 1);
  k.diagonal.reserve(rows);
  std::vector<carried_link>& links = geometry.links;
  std::size_t used = 0, next = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = used;
    while (next < links.size() && at(links[next].from) == row) {
      const carried_link l = links[next++];
      std::size_t same = first;
      while (same < used && links[same].to != l.to) ++same;
      if (same == used) {
        links[used++] = l;
        continue;
      }
      links[same].conductance += l.conductance;
      links[same].comes += l.comes;
      links[same].goes += l.goes;
    }
    std::sort(links.begin() + static_cast<std::ptrdiff_t>(first), links.begin() + static_cast<std::ptrdiff_t>(used),
              [](const carried_link& a, const carried_link& b) { return a.to < b.to; });
    auto diagonal = static_cast<double>(geometry.loose[row]);
    for (std::size_t l = first; l < used; ++l) {
      const float a = coupling_of(links[l]);
      if (a <= 0) continue;
      k.column.push_back(links[l].to);
      k.coupling.push_back(a);
      diagonal += static_cast<double>(a);
    }
    k.begin.push_back(static_cast<std::int32_t>(k.column.size()));
    k.diagonal.push_back(static_cast<float>(diagonal));
  }
  links.resize(used);
  return k;
}

transport_geometry coarsened(const transport_geometry& fine, const transport_rows& rows, std::vector<std::int32_t>& parent) {
  transport_geometry coarse;
  coarse.shift = next_shift(fine.shift, fine.spacing_mm, fine.domain);
  coarse.spacing_mm = fine.spacing_mm;
  coarse.domain = fine.domain;
  coarse.period = fine.period;
  std::array<int, 3> step{};
  for (std::size_t a = 0; a < 3; ++a) step[a] = coarse.shift[a] - fine.shift[a];
  // The diagonal contains only the couplings. Exchange with the surroundings must not reduce the relative strength of
  // couplings.
  std::vector<float> diagonal(rows.diagonal);
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] -= fine.loose[i];
  diagonal.resize(fine.loose.size() + at(fine.ghosts));
  if (!fine.between.links.empty()) fine.between.exchange(diagonal.data());
  aggregate_forest forest(rows.rows());
  for (const carried_link& l : fine.links) {
    const float both = l.conductance + (l.comes + l.goes) / 2;
    const bool strong = is_strong(both, diagonal[at(l.from)], diagonal[at(l.to)]);
    if (strong) forest.mark_strong(l.from);
    if (l.to < l.from && block_of(fine.places[at(l.from)], step) == block_of(fine.places[at(l.to)], step))
      forest.join(l.from, l.to, both, strong);
  }
  parent = forest.number([&](std::int32_t i) { coarse.places.push_back(block_of(fine.places[at(i)], step)); });
  coarse.points.assign(coarse.places.size(), carried_point{{}, 0});
  coarse.loose.assign(coarse.places.size(), 0);
  for (std::size_t i = 0; i < parent.size(); ++i) {
    carried_point& p = coarse.points[at(parent[i])];
    p.cells += fine.points[i].cells;
    for (std::size_t a = 0; a < 3; ++a)
      p.centre[a] += (fine.points[i].centre[a] - p.centre[a]) * fine.points[i].cells / p.cells;
    coarse.loose[at(parent[i])] += fine.loose[i];
  }
  coarse_halo around = make_coarse_halo(fine.between, parent, static_cast<std::int32_t>(coarse.points.size()), fine.ghosts);
  coarse.between = std::move(around.between);
  coarse.ghosts = around.ghosts;
  coarse.points.resize(coarse.points.size() + at(coarse.ghosts));
  if (!coarse.between.links.empty()) coarse.between.exchange(coarse.points.data());
  const auto owned = static_cast<std::int32_t>(parent.size());
  for (const carried_link& l : fine.links) {
    const std::int32_t from = parent[at(l.from)], to = l.to < owned ? parent[at(l.to)] : around.of_ghost[at(l.to - owned)];
    if (from == to) continue;
    const float factor = shortened(distance_of(fine.points[at(l.from)], fine.points[at(l.to)], fine.period),
                                   distance_of(coarse.points[at(from)], coarse.points[at(to)], fine.period));
    coarse.links.push_back({from, to, factor * l.conductance, l.comes, l.goes});
  }
  std::stable_sort(coarse.links.begin(), coarse.links.end(),
                   [](const carried_link& a, const carried_link& b) { return a.from < b.from; });
  return coarse;
}

transport_geometry gathered_on_first(MPI_Comm comm, const transport_geometry& own) {
  transport_geometry all;
  all.shift = own.shift;
  all.spacing_mm = own.spacing_mm;
  all.domain = own.domain;
  all.period = own.period;
  all.between.comm = MPI_COMM_SELF;
  const auto count = static_cast<std::int32_t>(own.loose.size());
  const std::int32_t first = comm::exclusive_sum_over_ranks(comm, count);
  std::vector<std::int32_t> number(at(count + own.ghosts));
  std::iota(number.begin(), number.begin() + count, first);
  if (!own.between.links.empty()) own.between.exchange(number.data());
  std::vector<carried_link> links = own.links;
  for (carried_link& l : links) l.from = number[at(l.from)], l.to = number[at(l.to)];
  std::vector<carried_point> points(own.points.begin(), own.points.begin() + count);
  all.links = comm::gather_on_first(comm, links).values;
  all.loose = comm::gather_on_first(comm, own.loose).values;
  all.points = comm::gather_on_first(comm, points).values;
  all.places = comm::gather_on_first(comm, own.places).values;
  return all;
}

}  // namespace osteon::physics
