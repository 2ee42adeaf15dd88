#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>

#include "physics/flow_openings.hpp"

namespace flow_pulsating_test {

using namespace osteon;
using namespace flow_images;

physics::time_table sine(double period_s, double mean, double amplitude, int points) {
  physics::time_table t{{}, period_s};
  for (int n = 0; n <= points; ++n)
    t.points.push_back({period_s * n / points, mean + amplitude * std::sin(2 * std::numbers::pi * n / points)});
  return t;
}

physics::transient_flow_solution run(const physics::through_problem& problem, const physics::flow_time_plan& plan,
                                     double tolerance) {
  auto answer = physics::solve_transient_flow(problem, plan, {tolerance, 500, true, {}}, nullptr, {}, null_log());
  EXPECT_TRUE(answer.certificate.converged);
  return answer;
}

// Oracle: values computed by hand. A table is linear between its times. Outside of its times, the table is constant or
// periodic.
TEST(flow_pulsating, a_table_of_time_is_linear_and_repeats_itself) {
  physics::time_table t{{{1, 0}, {2, 10}, {4, -10}}, 0};
  EXPECT_EQ(t.at(0), 0);
  EXPECT_EQ(t.at(1.25), 2.5);
  EXPECT_EQ(t.at(2), 10);
  EXPECT_EQ(t.at(3), 0);
  EXPECT_EQ(t.at(9), -10);
  EXPECT_EQ(t.most(), 10);
  t.period_s = 4;
  EXPECT_EQ(t.at(5.25), 2.5);
  EXPECT_EQ(t.at(11), 0);
  EXPECT_EQ(physics::time_table{}.at(7), 1);
  EXPECT_EQ(physics::time_table{}.most(), 1);
}

// Oracle: Womersley's flow between plates [Womersley1955]. On the voxels of the test, the reference is computed from rest by
// eigenvalues, and the error is of second order in the step. After several periods, the amplitude is that of the closed
// form, to the accuracy of the voxels.
TEST(flow_pulsating, pressure_that_oscillates_between_plates_drives_womersleys_flow) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const std::int64_t g = 10, length = 4;
  const double drop = 3, period = 20, omega = 2 * std::numbers::pi / period, end = 1.15 * period;
  auto problem = make_through(comm, image({length, g, 2}, [](index3) { return 1; }),
                              {on(axis::z, false, face_flow::pressure, drop), on(axis::z, true, face_flow::pressure),
                               on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)});
  problem.boundaries[0].factor = sine(period, 0, 1, 2000);
  Eigen::MatrixXd friction = Eigen::MatrixXd::Zero(g, g);
  for (std::int64_t i = 0; i < g; ++i) {
    friction(i, i) = i == 0 || i == g - 1 ? 3 : 2;
    if (i > 0) friction(i, i - 1) = friction(i - 1, i) = -1;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(friction);
  const auto exact_at = [&](double t) -> Eigen::VectorXd {
    const Eigen::VectorXd force = Eigen::VectorXd::Constant(g, drop / length);
    Eigen::VectorXd amplitude = modes.eigenvectors().transpose() * force;
    for (std::int64_t i = 0; i < g; ++i) {
      const double rate = modes.eigenvalues()[i];
      amplitude[i] *= (rate * std::sin(omega * t) - omega * std::cos(omega * t) + omega * std::exp(-rate * t)) /
                      (rate * rate + omega * omega);
    }
    return modes.eigenvectors() * amplitude;
  };
  const Eigen::VectorXd exact = exact_at(end);
  std::vector<double> errors;
  for (const int steps : {46, 92}) {
    physics::flow_time_plan plan;
    plan.end_s = end;
    plan.step_s = end / steps;
    const auto answer = run(problem, plan, 1e-9);
    double worst = 0;
    for (const auto& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const auto i = static_cast<std::size_t>(3 * (r.first + n));
        worst = std::max(worst, std::abs(static_cast<double>(answer.end.velocity_mm_per_s[i]) - exact[r.y]));
        // The pressure decreases linearly along the channel at any time.
        EXPECT_NEAR(
            answer.end.pressure_Pa[i / 3],
            drop * std::sin(omega * end) * (static_cast<double>(length - problem.where.owned.begin.z - r.z) - 0.5) / length,
            100 * drop / (steps * steps));
      }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    errors.push_back(worst / exact.cwiseAbs().maxCoeff());
    for (const auto& record : answer.history) {
      double sum = 0;
      const Eigen::VectorXd then = exact_at(record.time_s);
      for (std::int64_t i = 0; i < g; ++i) sum += 2 * then[i];
      EXPECT_NEAR(record.flow.boundaries[0].inflow_mm3_per_s, sum, 0.1 * 2 * g * exact.cwiseAbs().maxCoeff());
      EXPECT_NEAR(record.flow.boundaries[0].mean_pressure_Pa, drop * std::sin(omega * record.time_s), 1e-4);
    }
  }
  EXPECT_LT(errors[1], 6e-3);
  EXPECT_GT(errors[0] / errors[1], 3.4);
  // G / (i omega) (1 - cosh(k (y - g / 2)) / cosh(k g / 2)), with k^2 = i omega. Viscosity and density are 1.
  const std::complex<double> i(0, 1), k = std::sqrt(i * omega);
  const double time = 5 * period + 0.3, y = 4.5 - static_cast<double>(g) / 2;
  const std::complex<double> profile =
      drop / length / (i * omega) * (1.0 - std::cosh(k * y) / std::cosh(k * static_cast<double>(g) / 2.0));
  EXPECT_NEAR(exact_at(time)[4], std::imag(profile * std::exp(i * omega * time)), 0.02 * std::abs(profile));
}

// Oracle: a plug with given velocity has this velocity at any time. The pressure drop accelerates the plug.
TEST(flow_pulsating, a_plug_that_is_pushed_needs_the_pressure_that_accelerates_it) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const double period = 8, omega = 2 * std::numbers::pi / period, speed = 0.02;
  std::vector<flow_boundary> boundaries{on(axis::z, false, face_flow::velocity, speed),
                                        on(axis::z, true, face_flow::outlet)};
  for (const axis a : {axis::y, axis::x})
    for (const bool high : {false, true}) boundaries.push_back(on(a, high, face_flow::slip));
  auto problem = make_through(comm, image({6, 3, 2}, [](index3) { return 1; }), boundaries);
  problem.has_inertia = true;
  problem.boundaries[0].factor = sine(period, 2, 1, 2000);
  std::vector<double> errors;
  for (const int steps : {40, 80}) {
    physics::flow_time_plan plan;
    plan.end_s = period;
    plan.step_s = period / steps;
    const auto answer = run(problem, plan, 1e-9);
    double worst = 0;
    for (const auto& record : answer.history) {
      EXPECT_NEAR(record.flow.inflow_mm3_per_s, 6 * speed * (2 + std::sin(omega * record.time_s)), 1e-6);
      // Density divided by viscosity is 1 s/mm2. The first steps are of first order.
      if (record.time_s > 0.2 * period)
        worst =
            std::max(worst, std::abs(record.flow.pressure_drop_Pa - 6 * speed * omega * std::cos(omega * record.time_s)));
    }
    errors.push_back(worst / (6 * speed * omega));
  }
  EXPECT_LT(errors[1], 0.05);
  EXPECT_LT(errors[1], 0.6 * errors[0]);
}

// Oracle: contradictory input is refused.
TEST(flow_pulsating, refuses_tables_that_make_no_sense) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  auto problem = make_through(comm, image({4, 4, 4}, [](index3) { return 1; }),
                              {on(axis::z, false, face_flow::velocity, 2), on(axis::z, true, face_flow::velocity, -2)});
  problem.has_inertia = true;
  physics::flow_time_plan plan;
  plan.end_s = 1;
  const auto says = [&](const std::string& words) {
    try {
      physics::check_transient_flow(problem, plan, {});
      ADD_FAILURE() << "not refused: " << words;
    } catch (const usage_error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  problem.boundaries[0].factor.points = {{0, 1}, {1, 2}};
  says("inflow and outflow must balance");
  problem.boundaries[1].factor = problem.boundaries[0].factor;
  physics::check_transient_flow(problem, plan, {});
  problem.boundaries[0].factor.points[1][0] = problem.boundaries[1].factor.points[1][0] = 0;
  says("times must increase");
  problem.boundaries[0].factor = problem.boundaries[1].factor = {{{0, 1}, {3, 2}}, 2};
  says("contain all times of the table");
  problem.boundaries[0].factor = problem.boundaries[1].factor = {{{0, 1}, {1, 2}}, 2};
  plan.steady_change_per_s = 0.1;
  says("no steady state");
}

}  // namespace flow_pulsating_test
