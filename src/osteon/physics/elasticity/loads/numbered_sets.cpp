#include <osteon/physics/elasticity/loads/numbered_sets.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr std::size_t most_sets = 255;  // values of a byte

}  // namespace

int numbered_sets::add(const node_set_ptr& set) {
  for (std::size_t i = 0; i < known_.size(); ++i)
    if (known_[i]->name == set->name && known_[i]->size == set->size) return static_cast<int>(i) + 1;
  if (known_.size() == most_sets) return 0;
  known_.push_back(set);
  return static_cast<int>(known_.size());
}

nlohmann::ordered_json numbered_sets::described() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < known_.size(); ++i)
    all.push_back({{"number", i + 1},
                   {"name", known_[i]->name},
                   {"nodes", known_[i]->size},
                   {"low_mm", list_z_y_x(known_[i]->low_mm)},
                   {"high_mm", list_z_y_x(known_[i]->high_mm)},
                   {"centroid_mm", list_z_y_x(known_[i]->centroid_mm)}});
  return all;
}

std::vector<io::label_run> numbered_sets::runs() const {
  const voxel::node_grid& grid = sets_.grid();
  std::vector<std::uint8_t> number(static_cast<std::size_t>(grid.nodes->size()));
  std::vector<std::size_t> order(known_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return known_[a]->size > known_[b]->size; });
  std::vector<std::uint8_t> rank(known_.size() + 1);  // rank of each set, by number; smaller sets have higher ranks
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank[order[i] + 1] = static_cast<std::uint8_t>(i);
    for (const std::int32_t node : known_[order[i]]->nodes)
      number[static_cast<std::size_t>(node)] = static_cast<std::uint8_t>(order[i] + 1);
  }
  std::vector<std::uint8_t> of_cell(static_cast<std::size_t>(grid.cells->size()));
  voxel::for_each_cell(grid, [&](std::int32_t cell, const std::array<std::int32_t, 8>& corners) {
    std::uint8_t& mine = of_cell[static_cast<std::size_t>(cell)];
    for (const std::int32_t node : corners)
      if (const std::uint8_t n = number[static_cast<std::size_t>(node)]; n && (!mine || rank[n] > rank[mine])) mine = n;
  });
  std::vector<io::label_run> found;
  for (const voxel::run& r : grid.cells->runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const int n = of_cell[static_cast<std::size_t>(r.first + i)];
      if (n == 0) continue;
      const bool continues = i > 0 && of_cell[static_cast<std::size_t>(r.first + i - 1)] == n;
      if (continues)
        ++found.back().length;
      else
        found.push_back({static_cast<std::int32_t>(grid.begin.z + r.z), static_cast<std::int32_t>(grid.begin.y + r.y),
                         static_cast<std::int32_t>(grid.begin.x + r.x + i), 1, n});
    }
  return found;
}

vector3 point_of(const applied_force& f, const node_sets& sets) {
  double sums[4] = {};
  for (const numerics::nodal_force& n : f.nodes) {
    const double magnitude = std::hypot(n.force_N.z, n.force_N.y, n.force_N.x);
    const vector3 at = sets.position_mm(n.node);
    sums[0] += magnitude;
    for (int a = 0; a < 3; ++a) sums[1 + a] += magnitude * at[a];
  }
  comm::all_reduce(sets.comm(), sums, 4, MPI_SUM);
  if (!(sums[0] > 0)) return {};
  return {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]};
}

}  // namespace osteon::physics
