#include <osteon/net/compositing_fit.hpp>

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>

namespace osteon::net {

namespace {

constexpr int unknowns = 3;  // slowdown, arrival_overhead, match_time

// Least squares of A x = b with x >= 0. The best of the unconstrained solutions over the subsets of unknowns that is
// not negative is the answer, since there the gradient condition holds; with three unknowns there are seven.
Eigen::Vector3d non_negative_least_squares(const Eigen::MatrixX3d& a, const Eigen::VectorXd& b) {
  Eigen::Vector3d best = Eigen::Vector3d::Zero();
  double least = b.squaredNorm();
  for (int subset = 1; subset < 1 << unknowns; ++subset) {
    Eigen::MatrixX3d chosen = a;
    for (int i = 0; i < unknowns; ++i)
      if (!(subset >> i & 1)) chosen.col(i).setZero();
    // Of minimal norm, so zero for the columns that are left out.
    const Eigen::Vector3d x = chosen.completeOrthogonalDecomposition().solve(b);
    const double error = (a * x - b).squaredNorm();
    if ((x.array() >= 0).all() && error < least) {
      least = error;
      best = x;
    }
  }
  return best;
}

}  // namespace

std::vector<measured_frame> measured_on_blue_gene_l() {
  return {{1024, 1024, 16}, {1024, 512, 19}, {2048, 2048, 8}, {2048, 512, 14}, {2048, 1024, 12}};
}

std::vector<measured_frame> measured_on_ha8000() { return {{4096, 4096, 12}, {4096, 512, 27}, {4096, 1024, 41}}; }

compositing_machine compositing_fit::apply(compositing_machine m) const {
  m.rate /= slowdown;
  m.blend_rate /= slowdown;
  m.collect_rate /= slowdown;
  m.latency *= slowdown;
  m.collect_latency *= slowdown;
  m.arrival_overhead = arrival_overhead;
  m.match_time = match_time;
  return m;
}

compositing_fit fit_compositing(const compositing_machine& machine, std::span<const measured_frame> frames, double bytes) {
  if (frames.empty()) throw usage_error("no measured frames to fit: give at least one");
  const auto rows = static_cast<Eigen::Index>(frames.size());
  // Every row is divided by its measured time, so that the residual is the relative error. The unknowns differ by ten
  // orders of magnitude, so each column is scaled to 1.
  Eigen::MatrixX3d a(rows, unknowns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const measured_frame& f = frames[static_cast<std::size_t>(i)];
    if (!(f.frames_per_second > 0) || !std::isfinite(f.frames_per_second))
      throw usage_error(
          fmt::format("{} frames per second of {} ranks: a measured frame must take a time", f.frames_per_second, f.ranks));
    const double arrivals = std::max(0.0, f.group - 2.0), pairs = (f.group - 1.0) * (f.group - 2.0) / 2;
    a.row(i) << multi_step_time(machine, f.ranks, f.group, bytes).total(), arrivals, pairs;
    a.row(i) *= f.frames_per_second;
  }
  Eigen::Vector3d scale = a.colwise().norm().transpose();
  for (double& s : scale) s = s > 0 ? s : 1;
  const Eigen::MatrixX3d scaled = a * scale.cwiseInverse().asDiagonal();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(rows);
  const Eigen::Vector3d x = non_negative_least_squares(scaled, ones).cwiseQuotient(scale);
  return {x[0], x[1], x[2], (a * x - ones).cwiseAbs().maxCoeff()};
}

std::vector<double> predict_each_from_the_others(const compositing_machine& machine, std::span<const measured_frame> frames,
                                                 double bytes) {
  std::vector<double> result;
  if (frames.size() <= unknowns) return result;
  for (std::size_t left_out = 0; left_out < frames.size(); ++left_out) {
    std::vector<measured_frame> others(frames.begin(), frames.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    const compositing_machine m = fit_compositing(machine, others, bytes).apply(machine);
    const measured_frame& f = frames[left_out];
    result.push_back(multi_step_time(m, f.ranks, f.group, bytes).frames_per_second());
  }
  return result;
}

}  // namespace osteon::net
