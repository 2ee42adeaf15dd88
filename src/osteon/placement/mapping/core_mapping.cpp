#include <algorithm>
#include <array>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/placement/mapping/grouping.hpp>
#include <osteon/placement/mapping/mapping.hpp>
#include <osteon/placement/mapping/swap_search.hpp>

namespace osteon::placement {

namespace {

constexpr std::array levels = {machine::level::package, machine::level::numa, machine::level::l3};

// Vertices of g, and places (indices into `cores`) that are assigned to these vertices.
struct share {
  std::vector<int> vertices, places;
};

class descent {
 public:
  descent(const graph& g, const machine::host_tree& tree, std::span<const int> cores, std::uint64_t seed)
      : g_(g), tree_(tree), cores_(cores), seed_(seed), place_(at(g.size()), -1) {}

  std::vector<int> run() {
    share all{std::vector<int>(at(g_.size())), std::vector<int>(cores_.size())};
    std::iota(all.vertices.begin(), all.vertices.end(), 0);
    std::iota(all.places.begin(), all.places.end(), 0);
    down(all, 0);
    return std::move(place_);
  }

 private:
  void down(const share& here, std::size_t depth) {
    if (depth == levels.size()) {
      for (std::size_t i = 0; i < here.vertices.size(); ++i) place_[at(here.vertices[i])] = here.places[i];
      return;
    }
    std::vector<int> domains;
    std::vector<share> parts;
    for (const int p : here.places) {
      const int domain = tree_.domain_of(cores_[at(p)], levels[depth]);
      const auto which = static_cast<std::size_t>(std::find(domains.begin(), domains.end(), domain) - domains.begin());
      if (which == domains.size()) domains.push_back(domain), parts.emplace_back();
      parts[which].places.push_back(p);
    }
    if (parts.size() == 1) return down(here, depth + 1);
    std::vector<int> capacity;
    for (const share& part : parts) capacity.push_back(static_cast<int>(part.places.size()));
    const graph inside = induced(g_, here.vertices);
    const auto found = group(inside, capacity, {seed_, {}, 4000 * std::int64_t{inside.size()}, false});
    for (std::size_t i = 0; i < here.vertices.size(); ++i) parts[at(found.part[i])].vertices.push_back(here.vertices[i]);
    for (const share& part : parts) down(part, depth + 1);
  }
  const graph& g_;
  const machine::host_tree& tree_;
  std::span<const int> cores_;
  std::uint64_t seed_;
  std::vector<int> place_;
};

}  // namespace

int tree_distance(const machine::host_tree& tree, int a, int b) {
  if (a == b) return 0;
  int distance = 1;
  for (const machine::level l : levels) distance += tree.domain_of(a, l) != tree.domain_of(b, l);
  return distance;
}

std::vector<int> map_to_cores(const graph& g, const machine::host_tree& tree, std::span<const int> cores,
                              const core_costs& costs, std::uint64_t seed) {
  std::vector<int> best = descent(g, tree, cores, seed).run(), in_order(at(g.size()));
  std::iota(in_order.begin(), in_order.end(), 0);
  const part_costs all{costs.data(), static_cast<int>(cores.size())};
  const std::vector<int> one_each(cores.size(), 1);
  const search_effort effort{seed, 2000 * std::int64_t{g.size()}, 0.3, 0.03};
  const double found = swap_search(g, one_each, best, all, effort);
  return found < cost_of(g, in_order, all) ? best : in_order;
}

}  // namespace osteon::placement
