#include <algorithm>
#include <cmath>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/openings/momentum_limiter.hpp>

namespace osteon::physics {

namespace {

// Central fraction of a side. The fraction is computed from the change across the upstream side, and from the change across
// the side. @param noise square of a change that is ignored
double share_of_changes(double before, double own, double noise) {
  const double product = before * own + noise;
  return product <= 0 ? 0 : std::min(1.0, 2 * product / (own * own + product + noise));
}

}  // namespace

momentum_limiter::momentum_limiter(const flow_cells& cells) : cells_(cells) { forget(); }

void momentum_limiter::forget() {
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t a = 0; a < 3; ++a) shares_.of(c, a).assign(at(cells_.stride()), 0.0F);
}

void momentum_limiter::update_weights(const double* x, double taken) {
  const heat_cells& grid = cells_.grid;
  const std::int64_t stride = cells_.stride();
  constexpr double of_highest = 1e-4;
  double highest = 0;
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int32_t i = 0; i < grid.owned; ++i) highest = std::max(highest, std::abs(x[c * stride + i]));
  comm::counted_all_reduce(grid.where.comm, &highest, 1, MPI_MAX);
  const double noise = of_highest * highest * of_highest * highest;
  std::vector<double> change(at(stride));  // change of velocity between the cell below and each cell
  for (std::size_t c = 0; c < 3; ++c) {
    const double* const u = x + static_cast<std::int64_t>(c) * stride;
    const std::vector<std::uint8_t>& friction = cells_.friction[c];
    for (std::size_t a = 0; a < 3; ++a) {
      const double* const along = x + static_cast<std::int64_t>(a) * stride;
      std::fill(change.begin(), change.end(), 0.0);
      visit_neighbours_in_parallel(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
        if (const std::int32_t j = near[2 * a]; j >= 0) change[at(i)] = u[i] - u[j];
      });
      grid.links.exchange(change.data());
      std::vector<float>& share = shares_.of(c, a);
      visit_neighbours_in_parallel(grid, [&](std::int32_t i, const std::array<std::int32_t, 6>& near) {
        const std::int32_t j = near[2 * a], below = near[2 * c], above = near[2 * a + 1];
        if (j < 0) return;
        if (friction[at(i)] > open_face_frictions || friction[at(j)] > open_face_frictions) return;
        const double through = along[i] + (below < 0 ? 0 : along[below]);
        const double before = through > 0 ? change[at(j)] : above < 0 ? 0 : change[at(above)];
        const double now = share_of_changes(before, change[at(i)], noise);
        float& own = share[at(i)];
        own = static_cast<float>(taken == 1 ? now : static_cast<double>(own) + taken * (now - static_cast<double>(own)));
      });
      grid.links.exchange(share.data());
    }
  }
}

}  // namespace osteon::physics
