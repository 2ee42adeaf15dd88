#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/base/at.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>

namespace osteon::physics {

carried_velocities keep_mass(const open_flow_cells& open, const std::vector<double>& x, const std::function<void()>& poll,
                             log_sink& log) {
  const flow_cells& cells = open.cells;
  const MPI_Comm comm = cells.grid.where.comm;
  const std::int64_t stride = cells.stride(), owned = cells.grid.owned;
  carried_velocities result;
  result.velocity.assign(x.begin(), x.begin() + 3 * stride);
  double highest = 0;
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < owned; ++i) highest = std::max(highest, std::abs(x[at(c * stride + i)]));
  comm::counted_all_reduce(comm, &highest, 1, MPI_MAX);
  if (highest == 0) return result;
  // Limit relative to the highest velocity. Rounding errors are smaller by a factor of about ten.
  constexpr double of_highest = 1e-12;
  std::vector<double> taken(at(stride));
  pressure_projection::bounds to;
  to.divergence = of_highest * highest;
  to.velocity = std::numeric_limits<double>::infinity();
  const auto done = pressure_projection(open).project(result.velocity.data(), taken.data(), to, poll);
  std::array<double, 2> sums{};
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t i = 0; i < owned; ++i) {
      const double before = x[at(c * stride + i)], difference = result.velocity[at(c * stride + i)] - before;
      sums[0] += before * before;
      sums[1] += difference * difference;
    }
  sums = sum_of_ranks(comm, sums);
  result.change = sums[0] > 0 ? std::sqrt(sums[1] / sums[0]) : 0;
  if (!done.converged)
    log.warn(
        fmt::format("mass is conserved in each voxel only to {:.1e} of the highest velocity after {} iterations; "
                    "transported quantities have the same imbalance",
                    done.divergence / highest, done.iterations));
  return result;
}

carried_velocities count_mass_keeping(const open_flow_cells& open, const std::vector<double>& x,
                                      const std::function<void()>&, log_sink&) {
  const std::int64_t stride = open.cells.stride();
  const carried_velocities result{{x.begin(), x.begin() + 3 * stride}, 0};
  std::vector<double> u = result.velocity, taken(at(stride));
  pressure_projection(open).count_messages(u.data(), taken.data());
  double highest = 0;
  comm::counted_all_reduce(open.cells.grid.where.comm, &highest, 1, MPI_MAX);
  sum_of_ranks(open.cells.grid.where.comm, std::array<double, 2>{});
  return result;
}

}  // namespace osteon::physics
