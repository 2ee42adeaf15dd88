#include <osteon/placement/mapping/grouping.hpp>
#include <osteon/placement/mapping/scotch_start.hpp>

#if OSTEON_SCOTCH
#include <fmt/format.h>

#include <algorithm>

#include <cstdio>  // scotch.h requires the type FILE
extern "C" {
#include <scotch.h>
}
#endif

namespace osteon::placement {

#if OSTEON_SCOTCH

namespace {

// A SCOTCH_Graph, and the arrays to which the SCOTCH_Graph points.
class scotch_graph {
 public:
  explicit scotch_graph(const graph& g) : begin_(g.begin.begin(), g.begin.end()), to_(g.to.begin(), g.to.end()) {
    // Loads must be at least 1. The sum of the loads must fit into the integers of Scotch.
    std::int64_t sum = 0;
    for (const std::int64_t w : g.weight) sum += w;
    const std::int64_t unit = sum / (1 << 30) + 1;
    for (const std::int64_t w : g.weight) load_.push_back(static_cast<SCOTCH_Num>(w / unit + 1));
    SCOTCH_graphInit(&graph_);
    valid_ = SCOTCH_graphBuild(&graph_, 0, g.size(), begin_.data(), nullptr, nullptr, nullptr,
                               static_cast<SCOTCH_Num>(to_.size()), to_.data(), load_.data()) == 0;
  }
  ~scotch_graph() { SCOTCH_graphExit(&graph_); }
  scotch_graph(const scotch_graph&) = delete;
  scotch_graph& operator=(const scotch_graph&) = delete;
  bool valid() const { return valid_; }
  SCOTCH_Graph* get() { return &graph_; }

 private:
  std::vector<SCOTCH_Num> begin_, to_, load_;
  SCOTCH_Graph graph_{};
  bool valid_ = false;
};

struct scotch_strategy {
  scotch_strategy() { SCOTCH_stratInit(&value); }
  ~scotch_strategy() { SCOTCH_stratExit(&value); }
  scotch_strategy(const scotch_strategy&) = delete;
  scotch_strategy& operator=(const scotch_strategy&) = delete;
  SCOTCH_Strat value{};
};

struct scotch_architecture {
  scotch_architecture() { SCOTCH_archInit(&value); }
  ~scotch_architecture() { SCOTCH_archExit(&value); }
  scotch_architecture(const scotch_architecture&) = delete;
  scotch_architecture& operator=(const scotch_architecture&) = delete;
  SCOTCH_Arch value{};
};

// A graph in a context that has a seed of its own and a single thread. With several threads, results would depend on the
// number of threads.
class seeded_graph {
 public:
  seeded_graph(SCOTCH_Graph* graph, std::uint64_t seed) : graph_(graph) {
    const auto number = static_cast<SCOTCH_Num>(seed % 1000003);
    SCOTCH_randomSeed(number);
    SCOTCH_randomReset();
#ifdef SCOTCH_OPTIONNUMDETERMINISTIC
    SCOTCH_contextInit(&context_);
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextRandomClone(&context_);
    SCOTCH_contextRandomSeed(&context_, number);
    SCOTCH_contextRandomReset(&context_);
    SCOTCH_contextThreadSpawn(&context_, 1, nullptr);
    SCOTCH_graphInit(&bound_);
    if (SCOTCH_contextBindGraph(&context_, graph, &bound_) == 0) graph_ = &bound_;
#endif
  }
  ~seeded_graph() {
#ifdef SCOTCH_OPTIONNUMDETERMINISTIC
    SCOTCH_graphExit(&bound_);
    SCOTCH_contextExit(&context_);
#endif
  }
  seeded_graph(const seeded_graph&) = delete;
  seeded_graph& operator=(const seeded_graph&) = delete;
  SCOTCH_Graph* get() { return graph_; }

 private:
  SCOTCH_Graph* graph_;
#ifdef SCOTCH_OPTIONNUMDETERMINISTIC
  SCOTCH_Context context_{};
  SCOTCH_Graph bound_{};
#endif
};

}  // namespace

std::string scotch_version() {
  int major = 0, minor = 0, patch = 0;
  SCOTCH_version(&major, &minor, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::optional<std::vector<int>> scotch_partition(const graph& g, std::span<const int> capacity, std::uint64_t seed) {
  scotch_graph wrapped(g);
  if (!wrapped.valid()) return {};
  seeded_graph seeded(wrapped.get(), seed);
  scotch_strategy strategy;
  // The architecture is a complete graph. For each part, a domain has the capacity of the part.
  scotch_architecture parts;
  const std::vector<SCOTCH_Num> sizes(capacity.begin(), capacity.end());
  if (SCOTCH_archCmpltw(&parts.value, static_cast<SCOTCH_Num>(sizes.size()), sizes.data()) != 0) return {};
  std::vector<SCOTCH_Num> part(static_cast<std::size_t>(g.size()));
  if (SCOTCH_graphMap(seeded.get(), &parts.value, &strategy.value, part.data()) != 0) return {};
  std::vector<int> result(part.begin(), part.end());
  fit_capacity(g, capacity, result);
  return result;
}

std::optional<std::vector<int>> scotch_mapping(const graph& g, int places, std::span<const int> distance,
                                               std::uint64_t seed) {
  std::vector<edge> edges;
  for (int a = 0; a < places; ++a)
    for (int b = a + 1; b < places; ++b)
      // 1 is subtracted, because scotch_graph adds 1. The distance between two places on the same core would be 0. The value
      // 1 replaces this distance.
      edges.push_back(
          {a, b,
           std::max(1,
                    distance[static_cast<std::size_t>(a) * static_cast<std::size_t>(places) + static_cast<std::size_t>(b)]) -
               1});
  scotch_graph machine(from_edges(places, edges)), wrapped(g);
  if (!machine.valid() || !wrapped.valid()) return {};
  seeded_graph seeded_machine(machine.get(), seed), seeded(wrapped.get(), seed);
  scotch_strategy building, mapping;
  scotch_architecture architecture;
  if (SCOTCH_archBuild(&architecture.value, seeded_machine.get(), 0, nullptr, &building.value) != 0) return {};
  SCOTCH_stratGraphMapBuild(&mapping.value, SCOTCH_STRATQUALITY, places, 0.0);
  std::vector<SCOTCH_Num> place(static_cast<std::size_t>(g.size()));
  if (SCOTCH_graphMap(seeded.get(), &architecture.value, &mapping.value, place.data()) != 0) return {};
  std::vector<int> result(place.begin(), place.end());
  fit_capacity(g, std::vector<int>(static_cast<std::size_t>(places), 1), result);
  return result;
}

#else

std::string scotch_version() { return {}; }

std::optional<std::vector<int>> scotch_partition(const graph&, std::span<const int>, std::uint64_t) { return {}; }

std::optional<std::vector<int>> scotch_mapping(const graph&, int, std::span<const int>, std::uint64_t) { return {}; }

#endif

}  // namespace osteon::placement
