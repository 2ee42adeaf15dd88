#include <studies/compositing/model/compositing_fit.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <osteon/base/error.hpp>

namespace osteon::studies {

namespace {

constexpr std::size_t unknowns = 3;  // slowdown, arrival_overhead, match_time

using constants = std::array<double, unknowns>;
using column = std::vector<double>;

double dot(const column& a, const column& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void subtract(double factor, const column& from, column& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= factor * from[i];
}

// Least squares of A x = b over a subset of the columns. The columns have the norm 1. The method is modified Gram-Schmidt
// with b as the last column. The remainder of b is the residual. If columns are dependent, there is no result, because a
// smaller subset has the same residual.
std::optional<constants> least_squares(std::array<column, unknowns> a, column& b, int subset) {
  std::array<constants, unknowns> r{};  // A = Q R
  constants x{};
  for (std::size_t j = 0; j < unknowns; ++j) {
    if (!(subset >> j & 1)) continue;
    r[j][j] = std::sqrt(dot(a[j], a[j]));
    if (!(r[j][j] > 1e-10)) return {};
    for (double& value : a[j]) value /= r[j][j];
    for (std::size_t k = j + 1; k < unknowns; ++k) subtract(r[j][k] = dot(a[j], a[k]), a[j], a[k]);
    subtract(x[j] = dot(a[j], b), a[j], b);
  }
  for (std::size_t j = unknowns; j-- > 0;) {
    if (!(subset >> j & 1)) continue;
    for (std::size_t k = j + 1; k < unknowns; ++k) x[j] -= r[j][k] * x[k];
    x[j] /= r[j][j];
  }
  return x;
}

// Least squares of A x = b with x >= 0. The unconstrained problem is solved for each of the seven subsets of the three
// unknowns. The result is the best non-negative solution. This solution satisfies the gradient condition.
constants non_negative_least_squares(const std::array<column, unknowns>& a, const column& b) {
  constants best{};
  double least = dot(b, b);
  const double rounding = 1e-20 * least;  // among exact fits, the fit with the fewest constants is preferred
  for (int subset = 1; subset < 1 << unknowns; ++subset) {
    column residual = b;
    const auto x = least_squares(a, residual, subset);
    if (!x || std::any_of(x->begin(), x->end(), [](double value) { return value < 0; })) continue;
    const double error = dot(residual, residual);
    if (error + rounding < least) {
      least = error;
      best = *x;
    }
  }
  return best;
}

}  // namespace

std::vector<measured_frame> measured_on_blue_gene_l() {
  return {{1024, 1024, 16}, {1024, 512, 19}, {2048, 2048, 8}, {2048, 512, 14}, {2048, 1024, 12}};
}

std::vector<measured_frame> measured_on_ha8000() { return {{4096, 4096, 12}, {4096, 512, 27}, {4096, 1024, 41}}; }

net::compositing_machine compositing_fit::apply(const net::compositing_machine& machine) const {
  return net::extended(machine, slowdown, arrival_overhead, match_time);
}

compositing_fit fit_compositing(const net::compositing_machine& machine, std::span<const measured_frame> frames,
                                double bytes) {
  if (frames.empty()) throw usage_error("no measured frames to fit: at least one is required");
  // Every row is divided by its measured time. The residual is therefore the relative error. Each column is scaled to the
  // norm 1, because the unknowns differ by ten orders of magnitude.
  std::array<column, unknowns> a;
  for (const measured_frame& f : frames) {
    if (!(f.frames_per_second > 0) || !std::isfinite(f.frames_per_second))
      throw usage_error(fmt::format("{} frames per second of {} ranks: the time of a measured frame must be > 0",
                                    f.frames_per_second, f.ranks));
    const double arrivals = std::max(0.0, f.group - 2.0), pairs = (f.group - 1.0) * (f.group - 2.0) / 2;
    a[0].push_back(f.frames_per_second * net::multi_step_time(machine, f.ranks, f.group, bytes).total());
    a[1].push_back(f.frames_per_second * arrivals);
    a[2].push_back(f.frames_per_second * pairs);
  }
  constants scale{};
  for (std::size_t j = 0; j < unknowns; ++j) {
    scale[j] = std::sqrt(dot(a[j], a[j]));
    if (scale[j] > 0)
      for (double& value : a[j]) value /= scale[j];
    else
      scale[j] = 1;
  }
  column residual(frames.size(), 1.0);
  const constants x = non_negative_least_squares(a, residual);
  for (std::size_t j = 0; j < unknowns; ++j) subtract(x[j], a[j], residual);
  double worst = 0;
  for (const double value : residual) worst = std::max(worst, std::abs(value));
  return {x[0] / scale[0], x[1] / scale[1], x[2] / scale[2], worst};
}

std::vector<double> predict_each_from_the_others(const net::compositing_machine& machine,
                                                 std::span<const measured_frame> frames, double bytes) {
  std::vector<double> result;
  if (frames.size() <= unknowns) return result;
  for (std::size_t left_out = 0; left_out < frames.size(); ++left_out) {
    std::vector<measured_frame> others(frames.begin(), frames.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    const net::compositing_machine m = fit_compositing(machine, others, bytes).apply(machine);
    const measured_frame& f = frames[left_out];
    result.push_back(net::multi_step_time(m, f.ranks, f.group, bytes).frames_per_second());
  }
  return result;
}

}  // namespace osteon::studies
