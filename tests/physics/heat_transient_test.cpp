#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/physics/heat/solver/heat_transient.hpp>

#include "physics/heat_images.hpp"

namespace heat_transient_test {

using namespace heat_images;
using numerics::thermal;

constexpr double conductivity_W_per_mK = 2, capacity = 4e-3;  // [J/(mm3 K)]

// A slab with an initial temperature of 1 K between faces at 0 K, at time t. The temperature is a Fourier series. @param x,
// length in mm
double cooling_slab(double x, double length, double t) {
  const double diffusivity = conductivity_W_per_mK * 1e-3 / capacity;
  double sum = 0;
  for (int n = 1; n < 400; n += 2) {
    const double wave = n * std::numbers::pi / length;
    sum += 4 / (n * std::numbers::pi) * std::sin(wave * x) * std::exp(-diffusivity * wave * wave * t);
  }
  return sum;
}

// Largest error of a slab of n cells with a thickness of 4 mm, after 2 s.
double error_of_slab(MPI_Comm comm, std::int64_t n, double step_s, double implicitness) {
  const image slab({n, 1, 2}, [](index3) { return 1; });
  const double h = 4.0 / static_cast<double>(n);
  const auto table = conductivities({conductivity_W_per_mK});
  const auto problem = [&] {
    auto p = make_problem(comm, slab, table, {h, 1, 1}, axis::z);
    p.faces = physics::two_temperatures(axis::z, 0, 0);
    return p;
  }();
  const physics::time_plan plan{{0, capacity}, 1, 2, step_s, implicitness, 1};
  const auto solution = physics::solve_transient(problem, plan, {1e-11, 100}, null_log());
  EXPECT_TRUE(solution.certificate.converged);
  EXPECT_LT(solution.certificate.reaction_imbalance, 1e-8);
  double error = 0;
  for (const voxel::run& r : problem.cells.runs()) {
    const double x = h * (static_cast<double>(problem.where.owned.begin.z + r.z) + 0.5);
    error = std::max(error, std::abs(solution.temperature_K[static_cast<std::size_t>(r.first)] - cooling_slab(x, 4, 2)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, comm);
  return error;
}

// Oracle: the Fourier series of a cooling slab. Half the step halves the error of Euler's scheme. With a fine step, only the
// discretisation error in space remains. This error decreases by a factor of four.
TEST(heat_transient, a_cooling_slab_follows_its_series) {
  const ranks_with_a_plane comm(2);
  if (comm == MPI_COMM_NULL) return;
  const double coarse = error_of_slab(comm, 40, 0.1, 1), fine = error_of_slab(comm, 40, 0.05, 1);
  EXPECT_NEAR(coarse / fine, 2, 0.15);
  EXPECT_LT(fine, 0.01);
  EXPECT_NEAR(error_of_slab(comm, 10, 0.01, 0.5) / error_of_slab(comm, 20, 0.01, 0.5), 4, 0.5);
  EXPECT_LT(error_of_slab(comm, 40, 0.02, 0.5), 1e-3);
}

// Oracle: an insulated body with a source warms by s t / c everywhere, including disconnected parts.
TEST(heat_transient, an_insulated_body_keeps_its_heat) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_porous({7, 8, 9}, 3, 1);
  const auto table = conductivities({1});
  auto problem = make_problem(comm, img, table, {0.3, 0.2, 0.1}, axis::z);
  problem.faces = {};
  problem.source_W_per_mm3 = {0, 5e-3};
  const auto solution = physics::solve_transient(problem, {{0, 2e-3}, 300, 10, 3, 1, 2}, {1e-10, 100}, null_log());
  for (const double t : solution.temperature_K) EXPECT_NEAR(t, 300 + 5e-3 * 10 / 2e-3, 1e-7);
  EXPECT_DOUBLE_EQ(solution.step_s, 2.5);
  ASSERT_EQ(solution.history.size(), 3U);
  EXPECT_DOUBLE_EQ(solution.history[1].time_s, 5);
  EXPECT_NEAR(solution.history[1].mean_K, 312.5, 1e-7);
  EXPECT_NEAR(solution.history[2].stored_W, solution.source_W, 1e-9 * solution.source_W);
  EXPECT_EQ(solution.history[0].high_K, 300);
}

// Oracle: the first law for each step, and the steady solution after a long time.
TEST(heat_transient, every_step_balances_and_leads_to_the_steady_state) {
  const index3 shape{9, 8, 10};
  const ranks_with_a_plane comm(shape.z);
  if (comm == MPI_COMM_NULL) return;
  const image porous = random_porous(shape, 3, 2);
  const image img(shape, [&](index3 p) { return p.y == 0 ? 2 : porous.at(p); });
  const auto table = conductivities({0.5, 20});
  auto problem = make_problem(comm, img, table, {0.3, 0.2, 0.25}, axis::z);
  problem.faces = {{{numerics::face_condition{thermal::temperature, 300, 0, 0}, {}},
                    {numerics::face_condition{thermal::flux, 0, 2e-3, 0}, {}},
                    {numerics::face_condition{thermal::convection, 280, 0, 4e-4}, {}}}};
  problem.periodic[0] = false;
  problem.source_W_per_mm3 = {0, 1e-3, 0};
  const auto steady = physics::solve_heat(problem, {1e-10, 200}, null_log());
  for (const double implicitness : {1.0, 0.5}) {
    const auto solution =
        physics::solve_transient(problem, {{0, 2e-3, 3e-3}, 290, 4000, 100, implicitness, 1}, {1e-10, 200}, null_log());
    EXPECT_TRUE(solution.certificate.converged);
    EXPECT_LT(solution.certificate.reaction_imbalance, 1e-7);
    ASSERT_EQ(solution.history.size(), 41U);
    for (const auto& record : solution.history) {
      double gain = record.time_s > 0 ? solution.source_W : 0;
      for (const auto& pair : record.inflow_W) gain += pair[0] + pair[1];
      EXPECT_NEAR(gain, record.stored_W, 1e-7);
    }
    if (implicitness < 1) continue;  // without damping, the rest decays slowly
    EXPECT_NEAR(solution.history.back().inflow_W[0][0] / steady.inflow_W[0][0], 1, 1e-5);
  }
}

// Oracle: the same problem on one rank.
TEST(heat_transient, answers_do_not_depend_on_the_number_of_ranks) {
  const image img = random_porous({14, 12, 13}, 9, 2);
  const auto table = conductivities({1, 40});
  const auto solve_on = [&](MPI_Comm comm) {
    auto problem = make_problem(comm, img, table, {1, 1, 1}, axis::z);
    problem.faces = physics::two_temperatures(axis::z, 300, 310);
    problem.periodic[2] = true;
    return physics::solve_transient(problem, {{0, 2e-3, 3e-3}, 290, 100, 20, 1, 1}, {1e-10, 200}, null_log());
  };
  const auto alone = solve_on(MPI_COMM_SELF), joint = solve_on(MPI_COMM_WORLD);
  ASSERT_EQ(alone.history.size(), joint.history.size());
  for (std::size_t n = 0; n < alone.history.size(); ++n) EXPECT_NEAR(joint.history[n].mean_K, alone.history[n].mean_K, 1e-8);
  EXPECT_NEAR(joint.history.back().stored_W / alone.history.back().stored_W, 1, 1e-8);
}

// Oracle: the contract of time_plan.
TEST(heat_transient, plans_that_make_no_sense_are_refused) {
  const ranks_with_a_plane comm(3);
  if (comm == MPI_COMM_NULL) return;
  const image img({3, 3, 3}, [](index3) { return 1; });
  const auto table = conductivities({1});
  const auto problem = make_problem(comm, img, table, {1, 1, 1}, axis::z);
  const auto refused = [&](const physics::time_plan& plan) {
    EXPECT_THROW(physics::solve_transient(problem, plan, {}, null_log()), usage_error);
  };
  refused({{0, 1}, 0, 1, 0, 1, 1});
  refused({{0, 1}, 0, 1, 2, 1, 1});
  refused({{0, 0}, 0, 1, 1, 1, 1});
  refused({{}, 0, 1, 1, 1, 1});
  refused({{0, 1}, 0, 1, 1, 0.4, 1});
  refused({{0, 1}, 0, 1, 1, 1, 0});
}

}  // namespace heat_transient_test
