#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>

#include "physics/flow_openings.hpp"

namespace flow_period_rate_test {

using namespace osteon;
using namespace flow_images;

physics::transient_flow_solution run(const physics::through_problem& problem, const physics::flow_time_plan& plan,
                                     double tolerance) {
  auto answer = physics::solve_transient_flow(problem, plan, {tolerance, 500, true, {}}, nullptr, {}, null_log());
  EXPECT_TRUE(answer.certificate.converged);
  return answer;
}

// A slit of g voxels in y that is periodic along z and x. The friction is that of its voxels, and viscosity and density are
// 1.
constexpr std::int64_t gap = 8, period = 4, wide = 2;

physics::through_problem slit(MPI_Comm comm, double rate) {
  auto problem = make_through(comm, image({period, gap, wide}, [](index3) { return 1; }), {});
  problem.periodic = {true, false, true};
  problem.period_rate_mm3_per_s[0] = rate;
  return problem;
}

Eigen::MatrixXd friction_of_slit() {
  Eigen::MatrixXd friction = Eigen::MatrixXd::Zero(gap, gap);
  for (std::int64_t i = 0; i < gap; ++i) {
    friction(i, i) = i == 0 || i == gap - 1 ? 3 : 2;
    if (i > 0) friction(i, i - 1) = friction(i - 1, i) = -1;
  }
  return friction;
}

// Oracle: the flow rate itself at each record, and the steady drop of plates. k = (g^2 + 2) / 12 voxels^2 is exact on this
// grid.
TEST(flow_period_rate, of_plates_is_held_from_rest_to_the_steady_drop) {
  const ranks_with_a_plane comm(period);
  if (comm == MPI_COMM_NULL) return;
  for (const double implicitness : {0.5, 1.0}) {
    const double rate = -5;
    const auto problem = slit(comm, rate);
    physics::flow_time_plan plan;
    plan.end_s = 60;
    plan.step_s = 0.5;
    plan.implicitness = implicitness;
    const auto answer = run(problem, plan, 1e-8);
    for (const auto& r : answer.history) EXPECT_NEAR(r.flow.period_flow_mm3_per_s[0], rate, 1e-11 * std::abs(rate));
    const double k = static_cast<double>(gap * gap + 2) / 12, drop = rate * period / (k * gap * wide);
    EXPECT_NEAR(answer.history.back().flow.period_drop_Pa[0], drop, 1e-6 * std::abs(drop));
    EXPECT_NEAR(answer.history.back().flow.pressure_drop_Pa, -drop, 1e-6 * std::abs(drop));
    // The flow is a plug at first, and the shear at its walls requires a large drop.
    EXPECT_GT(answer.history[1].flow.period_drop_Pa[0] / drop, 1.5);
  }
}

// Oracle: velocities and drop for an oscillating flow rate, from rest. du/dt = drop / length - A u, and the sum of u is
// given. The solution uses eigenvalues of A on the subspace of zero sum, as in Womersley's flow but with a given flow rate.
// The error is of second order in the step.
TEST(flow_period_rate, that_swings_between_plates_takes_the_drop_of_its_equations) {
  const ranks_with_a_plane comm(period);
  if (comm == MPI_COMM_NULL) return;
  const double rate = 3, time = 20, omega = 2 * std::numbers::pi / time, end = 1.15 * time;
  auto problem = slit(comm, rate);
  constexpr int points = 4000;
  problem.period_factor[0].period_s = time;
  for (int n = 0; n <= points; ++n)
    problem.period_factor[0].points.push_back({time * n / points, std::sin(2 * std::numbers::pi * n / points)});
  const Eigen::MatrixXd friction = friction_of_slit();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(gap);
  const Eigen::MatrixXd off = Eigen::MatrixXd::Identity(gap, gap) - ones * ones.transpose() / gap;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(off * friction * off);
  const Eigen::VectorXd pushed = modes.eigenvectors().transpose() * (off * friction * ones);
  const double mean = rate / static_cast<double>(gap * wide);
  const auto velocity_at = [&](double t) -> Eigen::VectorXd {
    Eigen::VectorXd a(gap);
    for (std::int64_t i = 0; i < gap; ++i) {
      const double s = modes.eigenvalues()[i];
      a[i] = -mean * pushed[i] * (s * std::sin(omega * t) - omega * std::cos(omega * t) + omega * std::exp(-s * t)) /
             (s * s + omega * omega);
    }
    return modes.eigenvectors() * a + mean * std::sin(omega * t) * ones;
  };
  const auto drop_at = [&](double t) {
    return period * (mean * omega * std::cos(omega * t) + ones.dot(friction * velocity_at(t)) / gap);
  };
  std::vector<double> errors, of_drop;
  for (const int steps : {92, 184}) {
    physics::flow_time_plan plan;
    plan.end_s = end;
    plan.step_s = end / steps;
    const auto answer = run(problem, plan, 1e-9);
    double worst = 0, worst_drop = 0;
    for (const auto& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n)
        worst = std::max(
            worst, std::abs(static_cast<double>(answer.end.velocity_mm_per_s[static_cast<std::size_t>(3 * (r.first + n))]) -
                            velocity_at(end)[r.y]));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    errors.push_back(worst / mean);
    for (const auto& r : answer.history) {
      EXPECT_NEAR(r.flow.period_flow_mm3_per_s[0], rate * std::sin(omega * r.time_s), 2e-6 * rate);
      if (r.time_s > time / 4) worst_drop = std::max(worst_drop, std::abs(r.flow.period_drop_Pa[0] - drop_at(r.time_s)));
    }
    of_drop.push_back(worst_drop / std::abs(drop_at(time)));
    EXPECT_NEAR(answer.history.front().flow.period_drop_Pa[0], drop_at(0), 1e-2 * std::abs(drop_at(0)));
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_GT(errors[0] / errors[1], 3.3);
  EXPECT_LT(of_drop[1], 1e-3);
  EXPECT_GT(of_drop[0] / of_drop[1], 3.7);
}

// Oracle: the drop of the steady solver for an equal flow rate around a block, with inertia. The test also checks steps that
// follow the flow, and several starts.
TEST(flow_period_rate, ends_where_the_steady_flow_is) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  auto problem =
      make_through(comm, image({8, 8, 6}, [](index3 p) { return !(p.z < 3 && p.y >= 2 && p.y < 4 && p.x < 4); }), {});
  problem.periodic = {false, true, true};
  problem.has_inertia = true;
  problem.density_kg_per_m3 = 1e6;
  problem.period_rate_mm3_per_s[1] = 60;
  const auto steady = physics::solve_flow_through(problem, {1e-7, 3000, false, {}}, null_log()).flows.back();
  ASSERT_TRUE(steady.certificate.converged);
  const double drop = steady.period_drop_Pa[1];
  for (const physics::flow_start start : {physics::flow_start::rest, physics::flow_start::steady}) {
    physics::flow_time_plan plan;
    plan.end_s = start == physics::flow_start::rest ? 60 : 1;
    plan.courant = 0.7;
    plan.start = start;
    const auto answer = run(problem, plan, 1e-6);
    for (const auto& r : answer.history)
      EXPECT_NEAR(r.flow.period_flow_mm3_per_s[1], 60, start == physics::flow_start::rest ? 1e-9 : 1e-3);
    EXPECT_NEAR(answer.history.back().flow.period_drop_Pa[1], drop, 1e-3 * drop);
    EXPECT_NEAR(answer.history.back().flow.force_on_solid_N.y, steady.force_on_solid_N.y, 2e-3 * steady.force_on_solid_N.y);
    if (start == physics::flow_start::steady) {
      EXPECT_NEAR(answer.history.front().flow.period_drop_Pa[1], drop, 1e-4 * drop);
    }
  }
}

}  // namespace flow_period_rate_test
