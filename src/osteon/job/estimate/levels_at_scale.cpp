#include <osteon/job/estimate/levels_at_scale.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/job/estimate/plans_at_scale.hpp>
#include <osteon/numerics/multigrid/agglomeration.hpp>
#include <osteon/numerics/multigrid/elasticity_cycle.hpp>
#include <osteon/numerics/multigrid/elasticity_multigrid.hpp>
#include <string_view>
#include <utility>

namespace osteon::job {

namespace {

using namespace numerics::elasticity_cycle;

constexpr double bytes_of_move = 16, bytes_of_exchange = 12;  // bytes per node
// Time in s on one core for the coarsest level: time to substitute one unknown, and time to multiply one entry of the
// inverse (4 B at 25 GB/s).
constexpr double solution_of_unknown = 0.22e-6, product_of_entry = 0.16e-9;

// Restrict a plan to the first ranks.
plan::plan on_first_ranks(plan::plan what, int ranks) {
  const int members = std::exchange(what.ranks, ranks);
  what.of = [of = what.of, members](int rank, std::int64_t round) {
    return rank < members ? of(rank, round) : plan::round();
  };
  return what;
}

// The parts of `before` ranks move to `after` ranks, or move back.
plan::plan move_of(const std::string& name, int before, int after, std::int64_t bytes, bool is_back) {
  plan::plan what;
  what.name = name;
  what.ranks = before;
  what.rounds = 1;
  what.moves = plan::cargo::bytes;
  what.of = [=](int rank, std::int64_t) {
    plan::round now;
    const auto message = [&](int peer) { return plan::message{peer, {0, bytes}, plan::arrival::keep}; };
    if (const int holder = numerics::holding_ranks::new_holder_of(rank, before, after); holder != rank)
      (is_back ? now.receives : now.sends).push_back(message(holder));
    if (rank < after)
      for (int r = numerics::holding_ranks::first_old_of(rank, before, after);
           r < numerics::holding_ranks::first_old_of(rank + 1, before, after); ++r)
        if (r != rank) (is_back ? now.sends : now.receives).push_back(message(r));
    return now;
  };
  return what;
}

// Each rank sends to all other ranks.
plan::plan among_all(const std::string& name, int ranks, std::int64_t bytes) {
  plan::plan what;
  what.name = name;
  what.ranks = ranks;
  what.rounds = 1;
  what.moves = plan::cargo::bytes;
  what.of = [=](int rank, std::int64_t) {
    plan::round now;
    for (int r = 0; r < ranks; ++r)
      if (r != rank)
        for (auto* list : {&now.sends, &now.receives}) list->push_back({r, {0, bytes}, plan::arrival::keep});
    return now;
  };
  return what;
}

constexpr const char *to_all = "coarsest level to all its ranks, 16 B", *to_root = "coarsest level to rank 0, 16 B",
                     *from_root = "coarsest level from rank 0, 16 B";

comm::plan_traffic traffic_of(plan::plan what, std::int64_t runs) {
  comm::plan_traffic t;
  t.plan = what.name;
  t.runs = runs;
  std::int64_t most = 0;
  for (int r = 0; r < what.ranks; ++r) {
    std::int64_t sent = 0;
    for (const plan::message& m : what.of(r, 0).sends) {
      ++t.messages;
      sent += m.size();
    }
    t.bytes += sent;
    most = std::max(most, sent);
  }
  t.messages *= runs;
  t.bytes *= runs;
  t.most_bytes_of_a_rank = most * runs;
  t.what = std::move(what);
  return t;
}

double places_of(const level_sizes& sizes, int level) {
  return static_cast<double>(sizes.shape.volume()) / std::pow(8.0, level);
}

// Number of nodes of a rank, including copies.
double nodes_on(const level_sizes& sizes, int level, int holders) {
  const double nodes = sizes.nodes[static_cast<std::size_t>(level)];
  return std::min(nodes, nodes_of_rank(nodes, places_of(sizes, level), 1, holders));
}

// Number of times that the exchanges of a level are executed.
std::int64_t runs_of_level(const std::vector<comm::plan_traffic>& plans, int level) {
  const std::string name = fmt::format("nodes of level {}, 12 B", level);
  const auto found = std::find_if(plans.begin(), plans.end(), [&](const auto& p) { return p.plan == name; });
  return found == plans.end() ? 0 : found->runs;
}

// Number of exchanges of a level per visit. The restricted residual needs one exchange, and each product needs one exchange.
std::int64_t exchanges_of_visit(int level, int last) {
  if (level == last) return 1;
  const int degree = smoothing_degree(static_cast<std::size_t>(level));
  const int cycles = cycles_of_level(static_cast<std::size_t>(level));
  // A cycle consists of two smoothings and a correction. Each smoothing has several products, the correction has one
  // product, and a smoothing that stores the residual has one more product. The last cycle does not store the residual.
  return 1 + cycles * (2 * (degree - 1) + 2) + (cycles - 1);
}

}  // namespace

std::vector<double> usual_nodes_of_levels(double nodes) {
  constexpr double ratio = 6.1;  // measured with the jaw: 37.5 million nodes of voxels, and 748 nodes on level 6
  std::vector<double> all{nodes};
  do all.push_back(all.back() / ratio);
  while (3 * all.back() > static_cast<double>(coarsest_unknowns));
  return all;
}

std::vector<double> counted_nodes_of_levels(index3 shape, const std::vector<material_number>& image) {
  std::vector<double> all;
  const voxel::material_table none;
  comm::run_virtual_ranks(1, [&](MPI_Comm comm) {
    numerics::elasticity_problem problem;
    problem.where = grid::make_block(comm, grid::box_tree(shape, {}));
    problem.spacing_mm = {1, 1, 1};
    problem.materials = &none;
    const view3<const material_number> voxels(image.data(), shape);
    problem.cells = voxel::active_cells(voxels);
    if (problem.cells.size() == 0) return;
    problem.nodes = voxel::corner_nodes(problem.cells);
    problem.material = voxel::gather(problem.cells, voxels);
    for (const std::int64_t n : numerics::nodes_of_levels(problem)) all.push_back(static_cast<double>(n));
  });
  return all;
}

std::vector<level_place> place_levels(const level_sizes& sizes, int ranks) {
  std::vector<level_place> places;
  numerics::holding_ranks holders(ranks);
  for (int level = 0; level <= sizes.last(); ++level) {
    level_place& place = places.emplace_back();
    place.holders.push_back(holders.count());
    place.nodes_of_rank = nodes_on(sizes, level, holders.count());
    for (int goal = holders.count(); level > 0;) {
      if (holders.count() == goal) goal = cheapest_ranks(place.nodes_of_rank, places_of(sizes, level), goal);
      if (holders.count() == goal) break;
      holders.reduce(goal);
      place.holders.push_back(holders.count());
      place.nodes_of_rank = nodes_on(sizes, level, holders.count());
    }
  }
  return places;
}

int level_of_plan(const std::string& plan) {
  for (const std::string_view begin : {"nodes of level ", "level "})
    if (plan.starts_with(begin)) {
      int level = -1;
      std::from_chars(plan.data() + begin.size(), plan.data() + plan.size(), level);
      return level;
    }
  return -1;
}

bool is_placed(const std::string& plan) {
  const bool is_of_set_up = plan.find(':') != std::string::npos;
  return plan == to_all || plan == to_root || plan == from_root || (!is_of_set_up && level_of_plan(plan) > 0);
}

void place_on_ranks(std::vector<job_part>& parts, const level_sizes& sizes, int ranks) {
  const std::vector<level_place> places = place_levels(sizes, ranks);
  for (job_part& part : parts) {
    std::vector<comm::plan_traffic> plans;
    const auto bytes = [](double n) { return static_cast<std::int64_t>(std::llround(n)); };
    for (int level = 1; level <= sizes.last(); ++level) {
      const std::int64_t runs = runs_of_level(part.plans, level);
      if (runs == 0) continue;
      const level_place& place = places[static_cast<std::size_t>(level)];
      const std::int64_t visits = std::max<std::int64_t>(1, runs / exchanges_of_visit(level, sizes.last()));
      for (std::size_t m = 0; m + 1 < place.holders.size(); ++m) {
        const int before = place.holders[m], after = place.holders[m + 1];
        const std::int64_t moved = bytes(bytes_of_move * nodes_on(sizes, level, before));
        for (const bool is_back : {false, true})
          plans.push_back(traffic_of(
              on_first_ranks(move_of(fmt::format("level {} {} {} ranks, 16 B", level, is_back ? "from" : "to", after),
                                     before, after, moved, is_back),
                             ranks),
              visits));
      }
      const int holders = place.holders.back();
      const double edge = std::cbrt(places_of(sizes, level) / holders);
      const double share =
          sizes.nodes[static_cast<std::size_t>(level)] / static_cast<double>(sizes.shape.volume()) * std::pow(8.0, level);
      constexpr double most_neighbours = 26;
      plans.push_back(traffic_of(
          on_first_ranks(blocks_around(fmt::format("nodes of level {}, 12 B", level), grid_of_blocks(sizes.shape, holders),
                                       most_neighbours, bytes_of_exchange * 6 * share * (edge + 1) * (edge + 1)),
                         ranks),
          runs));
    }
    const int holders = places.back().holders.back();
    const auto of_rank = [&](double nodes) { return bytes(bytes_of_move * nodes); };
    for (const comm::plan_traffic& p : part.plans) {
      if (p.plan != to_all && p.plan != to_root) continue;
      const std::int64_t owned = of_rank(sizes.nodes.back() / holders);
      if (holders >= fewest_ranks_of_inverse) {
        plans.push_back(traffic_of(on_first_ranks(among_all(to_all, holders, owned), ranks), p.runs));
      } else {
        plans.push_back(traffic_of(on_first_ranks(move_of(to_root, holders, 1, owned, false), ranks), p.runs));
        plans.push_back(traffic_of(
            on_first_ranks(move_of(from_root, holders, 1, of_rank(places.back().nodes_of_rank), true), ranks), p.runs));
      }
    }
    std::erase_if(part.plans, [](const comm::plan_traffic& p) { return is_placed(p.plan); });
    part.plans.insert(part.plans.end(), std::make_move_iterator(plans.begin()), std::make_move_iterator(plans.end()));
  }
}

double seconds_of_few_ranks(const level_sizes& sizes, int ranks, std::span<const plan_time> iteration) {
  if (sizes.last() < 1) return 0;
  const std::vector<level_place> places = place_levels(sizes, ranks);
  double seconds = 0;
  for (const plan_time& p : iteration) {
    const double unknowns = 3 * sizes.nodes.back(), runs = static_cast<double>(p.runs);
    if (p.plan == to_root) seconds += runs * unknowns * solution_of_unknown * (1 - 1.0 / ranks);
    if (p.plan == to_all) seconds += runs * unknowns * 3 * places.back().nodes_of_rank * product_of_entry;
    const int level = level_of_plan(p.plan);
    if (level < 1 || level >= sizes.last() || !p.plan.starts_with("nodes")) continue;
    const level_place& place = places[static_cast<std::size_t>(level)];
    if (place.holders.back() == ranks) continue;
    seconds += runs * product_of_node_s * (place.nodes_of_rank - sizes.nodes[static_cast<std::size_t>(level)] / ranks);
  }
  return seconds;
}

}  // namespace osteon::job
