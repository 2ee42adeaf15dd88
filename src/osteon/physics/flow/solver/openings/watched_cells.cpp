#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/physics/flow/solver/openings/watched_cells.hpp>

namespace osteon::physics {

watched_cells::watched_cells(const flow_cells& cells, const voxel::run_set& fluid, const flow_watch& watch)
    : watch_(watch), stride_(cells.stride()), places_(watch.cells.size()) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  values_.assign(places_.size(), {0, 0, 0, none});
  if (places_.empty()) return;
  std::vector<std::int32_t> slot(at(cells.grid.owned), -1);
  std::size_t next = 0;
  for (const voxel::run& r : fluid.runs()) {
    for (; next < places_.size() && watch.cells[next] < r.first + r.length; ++next) {
      const std::int32_t first = cells.numbers.find(r.z, r.y, r.x);
      if (first < 0) continue;
      places_[next].cell = first + watch.cells[next] - r.first;
      slot[at(places_[next].cell)] = static_cast<std::int32_t>(next);
    }
  }
  visit_neighbours(cells.grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
    if (slot[at(i)] < 0) return;
    for (std::size_t c = 0; c < 3; ++c) places_[at(slot[at(i)])].above[c] = near[2 * c + 1];
  });
}

}  // namespace osteon::physics
