#include <algorithm>
#include <cmath>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/base/disjoint_sets.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/multigrid/coarse_halo.hpp>
#include <osteon/physics/flow/solver/openings/transport_cycle.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>

namespace osteon::physics {

namespace {

// number of forward sweeps before the correction, and number of backward sweeps after the correction
constexpr int transport_sweeps = 2;
constexpr int coarsest_transport_sweeps = 20;
constexpr std::int64_t coarsest_transport = 120;  // number of unknowns of the three components
// number of unknowns on all ranks; below this number, rank 0 alone continues
constexpr std::int64_t gathered_transport = 4000;
// the distance between the centres of aggregates is twice the distance of the finer level
constexpr float transport_shortening = 0.5F;

int corrections_on(std::size_t level) { return level == 0 ? 1 : 2; }

}  // namespace

struct transport_cycle::place {
  std::int32_t component, z, y, x;
  bool operator==(const place&) const = default;
  place block() const { return {component, z >> 1, y >> 1, x >> 1}; }
};

struct transport_cycle::level {
  std::vector<std::int32_t> begin{0};
  std::vector<entry> entries;
  std::vector<float> inverse;  // inverse of the diagonal
  // first row of each slab, followed by the number of rows; a gathered level has one slab
  std::array<std::int32_t, 4> components{};
  std::vector<std::int32_t> parent;  // parents of rows and ghosts on the next level
  std::int32_t ghosts = 0;
  halo between;
  bool is_joined = false;  // true if rows are connected to other ranks, or to this rank in a periodic image
  std::vector<float> right, x;

  std::int32_t rows() const { return static_cast<std::int32_t>(begin.size()) - 1; }
  void allot() {
    inverse.resize(at(rows()));
    right.resize(at(rows()));
    x.resize(at(rows() + ghosts));
  }
  void exchange() {
    if (is_joined) between.exchange(x.data());
  }
  // Rows of different components are not coupled.
  template <class Range>
  void each_component(const Range& range) const {
    if (rows() < shortest_parallel_loop) {  // a parallel region takes more time than a sweep of a coarse level
      for (std::size_t c = 0; c < 3; ++c) range(components[c], components[c + 1]);
      return;
    }
#pragma omp parallel for schedule(static, 1)
    for (std::size_t c = 0; c < 3; ++c) range(components[c], components[c + 1]);
  }
};

// Coefficients of rows. Each entry contains the friction and half of the outflow through the side. Coarse levels also store
// these coefficients.
struct transport_cycle::sides {
  std::vector<std::array<float, 2>> of;
  std::vector<float> loose;  // contribution of walls, and of sides with a known velocity beyond the side, to the diagonal
};

struct transport_cycle::gathered {
  std::size_t below = 0;  // index of the gathered level; the next level is a copy of this level on rank 0
  std::vector<int> rows, row_begins, values, value_begins;
};

transport_cycle::~transport_cycle() = default;

transport_cycle::transport_cycle(const flow_cells& cells, const flow_convection& flow) : cells_(cells) {
  const MPI_Comm comm = cells.grid.where.comm;
  bool is_shared = comm::size(comm) > 1;
  const auto count = [&] { return is_shared ? comm::sum_over_ranks(comm, levels_.back().rows()) : levels_.back().rows(); };
  std::vector<place> places = build_finest(flow);
  for (std::int64_t now = count();;) {
    // The finest level is distributed over all ranks. The number of iterations is then close to the number on one rank. This
    // result was measured with cavities and a block.
    if (is_shared && now <= (levels_.size() > 1 ? gathered_transport : coarsest_transport)) {
      places = gather(places);
      is_shared = false;
      now = levels_.back().rows();
    }
    if (now <= coarsest_transport) break;
    places = coarsen(places);
    const std::int64_t next = count();
    if (4 * next > 3 * now) {
      levels_.pop_back();
      break;
    }
    now = next;
  }
  levels_.back().parent.clear();
  for (level& l : levels_) l.allot();
}

std::vector<transport_cycle::place> transport_cycle::build_finest(const flow_convection& flow) {
  const heat_cells& grid = cells_.grid;
  level& l = levels_.emplace_back();
  std::vector<place> places;
  std::array<std::vector<std::int32_t>, 3> number;
  std::int32_t next = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    l.components[c] = next;
    number[c].assign(at(grid.walls), -1);
    for (std::int32_t i = 0; i < grid.owned; ++i)
      if (cells_.friction[c][at(i)] != 0) number[c][at(i)] = next++, cell_[c].push_back(i);
  }
  l.components[3] = next;
  places.resize(at(next));
  const index3 origin = grid.where.owned.begin;
  for (const voxel::run& r : cells_.numbers.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      for (std::size_t c = 0; c < 3; ++c)
        if (const std::int32_t k = number[c][at(r.first + n)]; k >= 0)
          places[at(k)] = {static_cast<std::int32_t>(c), static_cast<std::int32_t>(origin.z) + r.z,
                           static_cast<std::int32_t>(origin.y) + r.y, static_cast<std::int32_t>(origin.x) + r.x + n};
  l.between.comm = grid.links.comm;
  l.between.name = grid.links.name;
  l.is_joined = comm::size(grid.where.comm) > 1 || !grid.links.links.empty();
  const std::int32_t owned = next;
  for (const halo_link& from : grid.links.links) {
    halo_link& link = l.between.links.emplace_back(halo_link{from.rank, from.side, {}, next, 0});
    for (std::size_t c = 0; c < 3; ++c) {
      for (const std::int32_t i : from.send)
        if (number[c][at(i)] >= 0) link.send.push_back(number[c][at(i)]);
      for (std::int32_t g = from.ghost_begin; g < from.ghost_begin + from.ghost_count; ++g)
        if (cells_.friction[c][at(g)] != 0) number[c][at(g)] = next++;
    }
    link.ghost_count = next - link.ghost_begin;
  }
  l.ghosts = next - owned;
  // Two passes process the sides in the same order. The first pass counts the entries of each row, and the second pass sets
  // the entries.
  l.begin.assign(at(owned) + 1, 0);
  const auto visit_joined = [&](const auto& visit) {
    for (std::size_t c = 0; c < 3; ++c)
      flow.visit_sides(c, [&](std::int32_t i, std::int32_t j, float, float) {
        if (j >= 0 && number[c][at(j)] >= 0) visit(at(number[c][at(i)]), number[c][at(j)]);
      });
  };
  visit_joined([&](std::size_t from, std::int32_t) { ++l.begin[from + 1]; });
  std::partial_sum(l.begin.begin(), l.begin.end(), l.begin.begin());
  l.entries.resize(at(l.begin.back()));
  std::vector<std::int32_t> slot(l.begin.begin(), l.begin.end() - 1);
  visit_joined([&](std::size_t from, std::int32_t to) { l.entries[at(slot[from]++)] = {to, 0}; });
  return places;
}

std::vector<transport_cycle::place> transport_cycle::coarsen(const std::vector<place>& fine_places) {
  level& fine = levels_.back();
  const std::int32_t rows = fine.rows();
  disjoint_sets sets(at(rows));
  for (std::int32_t k = 0; k < rows; ++k)
    for (std::int32_t e = fine.begin[at(k)]; e < fine.begin[at(k) + 1]; ++e)
      if (const std::int32_t to = fine.entries[at(e)].column;
          to < k && fine_places[at(to)].block() == fine_places[at(k)].block())
        sets.unite(k, to);
  std::vector<place> places;
  level coarse;
  std::size_t component = 0;  // roots have the order of the rows
  fine.parent = sets.number([&](std::int32_t k) {
    while (component < 3 && k >= fine.components[component])
      coarse.components[component++] = static_cast<std::int32_t>(places.size());
    places.push_back(fine_places[at(k)].block());
  });
  const auto own = static_cast<std::int32_t>(places.size());
  for (; component < 4; ++component) coarse.components[component] = own;
  coarse.is_joined = fine.is_joined;
  coarse.between.comm = fine.between.comm;
  if (fine.is_joined) {
    coarse_halo around = make_coarse_halo(fine.between, fine.parent, own, fine.ghosts);
    coarse.between = std::move(around.between);
    coarse.ghosts = around.ghosts;
    fine.parent.insert(fine.parent.end(), around.of_ghost.begin(), around.of_ghost.end());
  }
  std::vector<std::vector<std::int32_t>> columns(places.size());
  for (std::int32_t k = 0; k < rows; ++k) {
    auto& row = columns[at(fine.parent[at(k)])];
    for (std::int32_t e = fine.begin[at(k)]; e < fine.begin[at(k) + 1]; ++e)
      if (const std::int32_t to = fine.parent[at(fine.entries[at(e)].column)];
          to != fine.parent[at(k)] && std::find(row.begin(), row.end(), to) == row.end())
        row.push_back(to);
  }
  for (const auto& row : columns) {
    for (const std::int32_t to : row) coarse.entries.push_back({to, 0});
    coarse.begin.push_back(static_cast<std::int32_t>(coarse.entries.size()));
  }
  levels_.push_back(std::move(coarse));
  return places;
}

// Gather the rows of all ranks on rank 0 in the order of the ranks. On other ranks, the result is empty.
std::vector<transport_cycle::place> transport_cycle::gather(const std::vector<place>& own_places) {
  const MPI_Comm comm = cells_.grid.where.comm;
  const level& own = levels_.back();
  gathered_ = std::make_unique<gathered>();
  gathered& g = *gathered_;
  g.below = levels_.size() - 1;
  g.rows = comm::gathered_counts(comm, own.rows());
  g.row_begins = comm::offsets_of(g.rows);
  g.values = comm::gathered_counts(comm, 2 * own.begin.back());
  g.value_begins = comm::offsets_of(g.values);
  std::vector<std::int32_t> number(at(own.rows() + own.ghosts)), columns, lengths;
  std::iota(number.begin(), number.begin() + own.rows(), comm::exclusive_sum_over_ranks(comm, own.rows()));
  own.between.exchange(number.data());
  for (const entry& e : own.entries) columns.push_back(number[at(e.column)]);
  for (std::int32_t k = 0; k < own.rows(); ++k) lengths.push_back(own.begin[at(k) + 1] - own.begin[at(k)]);
  level all;
  for (const std::int32_t to : comm::gather_on_first(comm, columns).values) all.entries.push_back({to, 0});
  for (const std::int32_t n : comm::gather_on_first(comm, lengths).values) all.begin.push_back(all.begin.back() + n);
  all.components = {0, all.rows(), all.rows(), all.rows()};
  levels_.push_back(std::move(all));
  return comm::gather_on_first(comm, own_places).values;
}

bool transport_cycle::is_gathered(std::size_t n) const { return gathered_ && gathered_->below == n; }

void transport_cycle::set(const flow_convection& flow, float added_diagonal) {
  sides now = finest_sides(flow, added_diagonal);
  for (std::size_t n = 0;; ++n) {
    set_rows(levels_[n], now);
    if (n + 1 == levels_.size()) break;
    now = is_gathered(n) ? gathered_sides(now) : coarser_sides(levels_[n], levels_[n + 1], now);
  }
}

transport_cycle::sides transport_cycle::finest_sides(const flow_convection& flow, float added_diagonal) const {
  const level& l = levels_.front();
  sides all{std::vector<std::array<float, 2>>(l.entries.size()), std::vector<float>(at(l.rows()))};
#pragma omp parallel for schedule(static, 1) if (l.rows() >= shortest_parallel_loop)
  for (std::size_t c = 0; c < 3; ++c) {
    const std::vector<std::uint8_t>& friction = cells_.friction[c];
    std::vector<std::int32_t> number(at(cells_.grid.owned), -1);
    for (std::size_t k = 0; k < cell_[c].size(); ++k) {
      const std::int32_t row = number[at(cell_[c][k])] = l.components[c] + static_cast<std::int32_t>(k);
      all.loose[at(row)] = static_cast<float>(cells_.diagonal[c][friction[at(cell_[c][k])]]);
    }
    for (const kernel::stokes_open_face& f : cells_.open_faces)
      if (at(f.axis) == c) all.loose[at(number[at(f.cell)])] = static_cast<float>(f.diagonal);
    std::vector<std::int32_t> slot(l.begin.begin() + l.components[c], l.begin.begin() + l.components[c + 1]);
    flow.visit_sides(c, [&](std::int32_t i, std::int32_t j, float weight, float half_flow) {
      const std::int32_t row = number[at(i)];
      float& loose = all.loose[at(row)];
      if (j == -2) {
        loose += std::max(half_flow, 0.0F);
      } else if (j >= 0 && friction[at(j)] != 0) {
        loose -= weight;
        all.of[at(slot[at(row - l.components[c])]++)] = {weight, half_flow};
      } else if (j >= 0) {
        loose += std::max(0.0F, std::abs(half_flow) - weight);
      }
    });
    for (std::int32_t k = l.components[c]; k < l.components[c + 1]; ++k)
      all.loose[at(k)] = std::max(all.loose[at(k)], 0.0F) + added_diagonal;
  }
  return all;
}

transport_cycle::sides transport_cycle::coarser_sides(const level& fine, const level& coarse, const sides& of) const {
  sides all{std::vector<std::array<float, 2>>(coarse.entries.size()), std::vector<float>(at(coarse.rows()))};
  fine.each_component([&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t k = begin; k < end; ++k) {
      const std::int32_t row = fine.parent[at(k)];
      all.loose[at(row)] += of.loose[at(k)];
      for (std::int32_t e = fine.begin[at(k)]; e < fine.begin[at(k) + 1]; ++e) {
        const std::int32_t to = fine.parent[at(fine.entries[at(e)].column)];
        if (to == row) continue;
        std::int32_t slot = coarse.begin[at(row)];
        while (coarse.entries[at(slot)].column != to) ++slot;
        all.of[at(slot)][0] += transport_shortening * of.of[at(e)][0];
        all.of[at(slot)][1] += of.of[at(e)][1];
      }
    }
  });
  return all;
}

transport_cycle::sides transport_cycle::gathered_sides(const sides& of) const {
  const MPI_Comm comm = cells_.grid.where.comm;
  const gathered& g = *gathered_;
  const level& own = levels_[g.below];
  const level& all = levels_[g.below + 1];
  sides result{std::vector<std::array<float, 2>>(all.entries.size()), std::vector<float>(at(all.rows()))};
  const auto bring = [&](const float* from, int count, float* to, const std::vector<int>& counts,
                         const std::vector<int>& begins) {
    const auto counted = comm::counted_call::gather(comm, "momentum's coarse sides to rank 0", counts, count, sizeof(float));
    comm::gather_values(comm, from, count, to, counts, begins);
  };
  bring(reinterpret_cast<const float*>(of.of.data()), 2 * own.begin.back(), reinterpret_cast<float*>(result.of.data()),
        g.values, g.value_begins);
  bring(of.loose.data(), own.rows(), result.loose.data(), g.rows, g.row_begins);
  return result;
}

void transport_cycle::set_rows(level& l, const sides& of) {
  l.each_component([&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t k = begin; k < end; ++k) {
      float diagonal = of.loose[at(k)];
      for (std::int32_t e = l.begin[at(k)]; e < l.begin[at(k) + 1]; ++e) {
        const auto [friction, half_flow] = of.of[at(e)];
        const float excess = std::max(0.0F, std::abs(half_flow) - friction);
        diagonal += friction + excess;
        l.entries[at(e)].value = friction + excess - half_flow;
      }
      l.inverse[at(k)] = diagonal > 0 ? 1 / diagonal : 0;
    }
  });
}

void transport_cycle::sweep(level& l, bool forth) {
  l.each_component([&](std::int32_t first, std::int32_t last) {
    float* const x = l.x.data();
    for (std::int32_t n = first; n < last; ++n) {
      const std::int32_t k = forth ? n : first + last - 1 - n;
      float sum = l.right[at(k)];
      for (std::int32_t e = l.begin[at(k)]; e < l.begin[at(k) + 1]; ++e)
        sum += l.entries[at(e)].value * x[l.entries[at(e)].column];
      x[k] = l.inverse[at(k)] * sum;
    }
  });
}

// Execute a cycle that starts from x. The ghosts of x must be current.
void transport_cycle::cycle(std::size_t n) {
  level& l = levels_[n];
  if (is_gathered(n)) {
    const MPI_Comm comm = cells_.grid.where.comm;
    const gathered& g = *gathered_;
    level& all = levels_[n + 1];
    {
      const auto counted = comm::counted_call::gather(comm, "momentum to rank 0", g.rows, l.rows(), sizeof(float));
      comm::gather_values(comm, l.right.data(), l.rows(), all.right.data(), g.rows, g.row_begins);
    }
    std::fill(all.x.begin(), all.x.end(), 0.0F);
    cycle(n + 1);
    const auto counted = comm::counted_call::scatter(comm, "momentum from rank 0", g.rows, l.rows(), sizeof(float));
    comm::scatter_values(comm, all.x.data(), g.rows, g.row_begins, l.x.data(), l.rows());
    return;
  }
  const auto smooth = [&](int times, bool is_current) {
    for (int k = 0; k < times; ++k)
      for (const bool forth : {true, false}) {
        if (!is_current) l.exchange();
        is_current = false;
        sweep(l, forth);
      }
  };
  if (n + 1 == levels_.size()) return smooth(coarsest_transport_sweeps, true);
  level& next = levels_[n + 1];
  smooth(transport_sweeps, true);
  for (int c = 0; c < corrections_on(n); ++c) {
    std::fill(next.right.begin(), next.right.end(), 0.0F);
    std::fill(next.x.begin(), next.x.end(), 0.0F);
    l.exchange();
    l.each_component([&](std::int32_t begin, std::int32_t end) {
      for (std::int32_t k = begin; k < end; ++k) {
        if (l.inverse[at(k)] == 0) continue;
        float sum = l.right[at(k)] - l.x[at(k)] / l.inverse[at(k)];
        for (std::int32_t e = l.begin[at(k)]; e < l.begin[at(k) + 1]; ++e)
          sum += l.entries[at(e)].value * l.x[at(l.entries[at(e)].column)];
        next.right[at(l.parent[at(k)])] += sum;
      }
    });
    cycle(n + 1);
    for (std::int32_t k = 0; k < l.rows(); ++k) l.x[at(k)] += next.x[at(l.parent[at(k)])];
    smooth(transport_sweeps, false);
  }
}

void transport_cycle::apply(const float* r, float* z) {
  level& l = levels_.front();
  const std::int64_t stride = cells_.stride();
  for (std::size_t c = 0; c < 3; ++c) {
    const float* const from = r + static_cast<std::int64_t>(c) * stride;
    for (std::size_t k = 0; k < cell_[c].size(); ++k) l.right[at(l.components[c]) + k] = from[cell_[c][k]];
  }
  std::fill(l.x.begin(), l.x.end(), 0.0F);
  cycle(0);
  for (std::size_t c = 0; c < 3; ++c) {
    float* const to = z + static_cast<std::int64_t>(c) * stride;
    std::fill_n(to, cells_.grid.owned, 0.0F);
    for (std::size_t k = 0; k < cell_[c].size(); ++k) to[cell_[c][k]] = l.x[at(l.components[c]) + k];
  }
}

// A sweep reads begin, right, inverse and the entries of rows. The sweep also reads and writes x. A correction computes a
// residual, and adds the correction of the coarse level.
kernel_work transport_cycle::work() const {
  constexpr double of_row = 20, of_entry = 8, of_correction = 16 + 8 + 16;
  kernel_work all;
  double visits = 1;
  for (std::size_t n = 0; n < levels_.size(); ++n) {
    if (is_gathered(n)) continue;
    const level& l = levels_[n];
    const auto rows = static_cast<double>(l.rows()), entries = static_cast<double>(l.entries.size());
    const bool is_last = n + 1 == levels_.size();
    const double corrections = is_last ? 0 : corrections_on(n);
    const double sweeps = 2 * (is_last ? coarsest_transport_sweeps : transport_sweeps * (1 + corrections));
    all += visits * sweeps * kernel_work{of_row * rows + of_entry * entries, rows + 2 * entries};
    all += visits * corrections * kernel_work{of_correction * rows + of_entry * entries, 4 * rows + 2 * entries};
    if (!is_last) visits *= corrections;
  }
  return all;
}

// For each side, two values are written and read twice. The entry is written once.
kernel_work transport_cycle::work_of_set() const {
  constexpr double of_row = 4 + 8 + 8, of_entry = 8 + 16 + 8;
  kernel_work all;
  for (const level& l : levels_) {
    const auto rows = static_cast<double>(l.rows()), entries = static_cast<double>(l.entries.size());
    all += {of_row * rows + of_entry * entries, 2 * rows + 6 * entries};
  }
  return all;
}

}  // namespace osteon::physics
