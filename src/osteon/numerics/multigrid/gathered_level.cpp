#include <osteon/base/at.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/numerics/multigrid/coarsest_heat.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/numerics/multigrid/coarse_rows.hpp>
#include <tuple>

namespace osteon::numerics {

namespace {

struct entry {
  std::int32_t row, column;
  float conductance;
};

std::vector<level_geometry::place> places_of(const level_geometry& geometry, const std::array<int, 3>& shift) {
  std::vector<level_geometry::place> places;
  places.reserve(geometry.points.size());
  for (const auto& p : geometry.points) {
    const auto block = [&](int a) {
      const auto voxel =
          static_cast<std::int32_t>(static_cast<double>(p.centre[static_cast<std::size_t>(a)]) / geometry.spacing_mm[a]);
      return voxel >> shift[static_cast<std::size_t>(a)];
    };
    places.push_back({block(0), block(1), block(2)});
  }
  return places;
}

std::size_t distinct(std::vector<level_geometry::place> places) {
  std::sort(places.begin(), places.end(),
            [](const auto& a, const auto& b) { return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x); });
  return static_cast<std::size_t>(std::unique(places.begin(), places.end()) - places.begin());
}

// Choose the largest blocks that separate more than half of the points.
void choose_blocks(level_geometry& geometry) {
  std::array<int, 3> shift{};
  geometry.places = places_of(geometry, shift);
  for (;;) {
    const auto next = next_shift(shift, geometry.spacing_mm, geometry.domain);
    auto places = places_of(geometry, next);
    if (next == shift || 2 * distinct(places) <= geometry.points.size()) break;
    shift = next;
    geometry.places = std::move(places);
  }
  geometry.shift = shift;
}

}  // namespace

gathered_level::gathered_level(MPI_Comm comm, coarse_level& level, level_geometry& geometry)
    : comm_(comm), owned_(level.matrix.rows()) {
  const kernel::sparse_rows& k = level.matrix;
  counts_ = comm::gathered_counts(comm, owned_);
  offsets_ = comm::offsets_of(counts_);
  const std::int32_t first = comm::exclusive_sum_over_ranks(comm, owned_);
  std::vector<std::int32_t> number(at(owned_ + level.ghosts));
  std::iota(number.begin(), number.begin() + owned_, first);
  level.links.exchange(number.data());

  std::vector<entry> entries;
  for (std::int32_t i = 0; i < owned_; ++i)
    for (std::int32_t e = k.begin[at(i)]; e < k.begin[at(i) + 1]; ++e)
      if (const std::int32_t column = number[at(k.column[at(e)])]; column != number[at(i)])
        entries.push_back({number[at(i)], column, k.conductance[at(e)]});  // skip the diagonal
  for (auto& w : geometry.walls) w.point = number[at(w.point)];
  geometry.points.resize(at(owned_));
  const auto all = comm::gather_on_first(comm, entries).values;
  geometry.points = comm::gather_on_first(comm, geometry.points).values;
  geometry.walls = comm::gather_on_first(comm, geometry.walls).values;
  geometry.storage = comm::gather_on_first(comm, geometry.storage).values;
  choose_blocks(geometry);

  level = {};
  level.links.comm = MPI_COMM_SELF;
  assemble_rows(level.matrix, diagonal_without_neighbours(geometry), [&](auto&& put) {
    for (const entry& e : all) put(e.row, e.column, [&] { return e.conductance; });
  });
}

void gathered_level::gather(const float* own, std::vector<float>& all) const {
  const auto counted = comm::counted_call::gather(comm_, "coarsest level to rank 0", counts_, owned_, sizeof(float));
  comm::gather_values(comm_, own, owned_, all.data(), counts_, offsets_);
}

void gathered_level::scatter(const std::vector<float>& all, float* own) const {
  const auto counted = comm::counted_call::scatter(comm_, "coarsest level from rank 0", counts_, owned_, sizeof(float));
  comm::scatter_values(comm_, all.data(), counts_, offsets_, own, owned_);
}

}  // namespace osteon::numerics
