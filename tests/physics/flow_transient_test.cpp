#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/flow_stepper.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <random>
#include <string>

#include "physics/flow_openings.hpp"

namespace flow_transient_test {

using namespace osteon;
using namespace flow_images;
using physics::face_flow;
using physics::flow_boundary;

// Density divided by viscosity is 1 s/mm2.
physics::through_problem make_moving(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries,
                                     vector3 spacing = {1, 1, 1}) {
  physics::through_problem problem = make_through(comm, img, std::move(boundaries), spacing);
  problem.has_inertia = true;
  return problem;
}

std::vector<flow_boundary> slip_on_all_faces() {
  std::vector<flow_boundary> all;
  for (const axis a : {axis::z, axis::y, axis::x})
    for (const bool high : {false, true}) all.push_back(on(a, high, face_flow::slip));
  return all;
}

physics::transient_flow_solution run(const physics::through_problem& problem, const physics::flow_time_plan& plan,
                                     double tolerance) {
  auto answer = physics::solve_transient_flow(problem, plan, {tolerance, 500, true, {}}, nullptr, {}, null_log());
  EXPECT_TRUE(answer.certificate.converged);
  EXPECT_LE(answer.highest_divergence, tolerance);
  return answer;
}

// A closed box of fluid. Its cells belong to one part without a pressure.
struct closed_box {
  physics::through_problem problem;
  physics::open_flow_cells open;
  explicit closed_box(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries, vector3 spacing = {1, 1, 1})
      : problem(make_moving(comm, img, std::move(boundaries), spacing)),
        open(physics::make_open_flow_cells(problem, std::vector<bool>(problem.cells.runs().size(), true),
                                           std::vector<std::int32_t>(problem.cells.runs().size(), 0), 1)) {}
  // Sets the velocity of each face with an unknown. @param f (component, place of the face in voxels)
  template <class F>
  void set(std::vector<double>& x, const F& f) const {
    for (const voxel::run& r : open.cells.numbers.runs())
      for (std::int32_t n = 0; n < r.length; ++n)
        for (int c = 0; c < 3; ++c) {
          const index3 p = problem.where.owned.begin + index3{r.z, r.y, r.x + n};
          vector3 place{static_cast<double>(p.z) + 0.5, static_cast<double>(p.y) + 0.5, static_cast<double>(p.x) + 0.5};
          place[c] -= 0.5;
          const auto i = static_cast<std::size_t>(r.first + n);
          if (open.cells.friction[static_cast<std::size_t>(c)][i] != 0)
            x[static_cast<std::size_t>(c * open.cells.stride()) + i] = f(c, place);
        }
  }
};

// Oracle: an invariant of the scheme. In skew-symmetric form, no velocity field gains or loses energy, for any divergence.
TEST(flow_transient, central_convection_makes_no_energy_between_walls) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image pores({6, 7, 9}, [](index3 p) { return (p.z * 5 + p.y * 3 + p.x * 7) % 11 != 0; });
  const closed_box box(comm, pores, slip_on_all_faces(), {1, 0.8, 1.25});
  const auto n = static_cast<std::size_t>(box.open.cells.stride());
  std::vector<double> u(4 * n), c(3 * n);
  box.set(u, [](int axis, vector3 p) { return std::sin(3 * p.z + axis) + std::cos(5 * p.y * p.x - axis); });
  for (std::size_t a = 0; a < 3; ++a) box.open.cells.grid.links.exchange(u.data() + a * n);
  for (const std::string how : {"central", "blended", "limited"}) {
    const bool is_central = how == "central";
    physics::flow_convection convection(box.open, box.problem.boundaries, is_central);
    physics::momentum_limiter limiter(box.open.cells);
    convection.set_reynolds(100);
    limiter.update_weights(u.data(), 1);
    if (how == "limited") convection.limit_by(limiter.shares());
    std::fill(c.begin(), c.end(), 0.0);
    convection.subtract(u.data(), c.data());
    std::array<double, 2> sums{};
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t i = 0; i < static_cast<std::size_t>(box.open.cells.grid.owned); ++i) {
        sums[0] += u[a * n + i] * c[a * n + i];
        sums[1] += std::abs(u[a * n + i] * c[a * n + i]);
      }
    sums = numerics::sum_of_ranks(comm, sums);
    EXPECT_GT(sums[1], 0);
    if (is_central)
      EXPECT_LT(std::abs(sums[0]), 1e-13 * sums[1]);
    else
      EXPECT_LT(sums[0], -1e-3 * sums[1]);  // upwinding removes some energy
  }
}

// Oracle: a law of convection. A uniform flow carries a profile. In an Euler step with the limiter, the profile keeps its
// order and its bounds, and is sharper than with the hybrid scheme. Central differences overshoot.
TEST(flow_transient, a_limited_profile_stays_monotone) {
  const ranks_with_a_plane comm(40);
  if (comm == MPI_COMM_NULL) return;
  const std::int64_t length = 40;
  const closed_box box(comm, image({length, 6, 1}, [](index3) { return 1; }), slip_on_all_faces());
  const auto n = static_cast<std::size_t>(box.open.cells.stride());
  constexpr double reynolds = 1000, courant = 0.4, step_at = 10;
  constexpr std::int64_t first = 4, last = 30;  // the ends have no effect on this range
  const auto carried = [&](const std::string& how, bool backwards) {
    physics::flow_convection convection(box.open, box.problem.boundaries, how == "central");
    physics::momentum_limiter limiter(box.open.cells);
    if (how == "limited") convection.limit_by(limiter.shares());
    convection.set_reynolds(reynolds);
    std::vector<double> profile(static_cast<std::size_t>(length)), u(4 * n), c(3 * n);
    const double sign = backwards ? -1 : 1;
    const auto place_of = [&](double z) { return backwards ? static_cast<double>(length) - z : z; };
    for (std::size_t k = 0; k < profile.size(); ++k) profile[k] = place_of(static_cast<double>(k) + 0.5) < step_at ? 0.1 : 0;
    for (int step = 0; step < 12; ++step) {
      box.set(u, [&](int axis, vector3 p) {
        return axis == 0 ? sign : axis == 1 ? profile[static_cast<std::size_t>(p.z)] : 0.0;
      });
      for (std::size_t a = 0; a < 3; ++a) box.open.cells.grid.links.exchange(u.data() + a * n);
      limiter.update_weights(u.data(), 1);
      std::fill(c.begin(), c.end(), 0.0);
      convection.subtract(u.data(), c.data());
      std::vector<double> next(profile.size());
      for (const voxel::run& r : box.open.cells.numbers.runs()) {
        const index3 p = box.problem.where.owned.begin + index3{r.z, r.y, r.x};
        if (p.y == 3)  // a face between two other faces with an equal velocity
          next[static_cast<std::size_t>(p.z)] =
              profile[static_cast<std::size_t>(p.z)] + courant / reynolds * c[n + static_cast<std::size_t>(r.first)];
      }
      MPI_Allreduce(MPI_IN_PLACE, next.data(), static_cast<int>(next.size()), MPI_DOUBLE, MPI_SUM, comm);
      for (std::size_t k = 0; k < next.size(); ++k)
        if (const auto from_inflow = static_cast<std::int64_t>(place_of(static_cast<double>(k) + 0.5));
            from_inflow >= first && from_inflow < last)
          profile[k] = next[k];
    }
    if (backwards) std::reverse(profile.begin(), profile.end());
    return profile;
  };
  for (const bool backwards : {false, true}) {
    const auto limited = carried("limited", backwards), blended = carried("blended", backwards),
               central = carried("central", backwards);
    const auto rises = [](const std::vector<double>& p) {
      double most = 0;
      for (std::size_t k = 1; k < p.size(); ++k) most = std::max(most, p[k] - p[k - 1]);
      return most;
    };
    const auto width = [](const std::vector<double>& p) {
      return std::count_if(p.begin(), p.end(), [](double v) { return v > 0.01 && v < 0.09; });
    };
    EXPECT_LT(rises(limited), 1e-4);  // relative to the highest velocity, with noise for the limiter
    EXPECT_LT(rises(blended), 1e-5);  // no friction limits the small central contribution
    EXPECT_GT(rises(central), 0.01);
    EXPECT_LT(width(limited), width(blended));
    EXPECT_NEAR(std::accumulate(limited.begin(), limited.end(), 0.0), 0.1 * (step_at + 12 * courant), 2e-3);
  }
}

// The vortex of Taylor and Green between planes of symmetry, in the plane of two axes.
struct vortex {
  closed_box box;
  physics::flow_stepper time;
  double k;
  vortex(MPI_Comm comm, std::int64_t n, double reynolds, double tolerance)
      : box(comm, image({n, n, 1}, [](index3) { return 1; }), slip_on_all_faces()),
        time(box.open, central(box.problem, reynolds / static_cast<double>(n)), physics::flow_units{},
             {0.5, tolerance, 500, {}}),
        k(std::numbers::pi / static_cast<double>(n)) {
    box.set(time.state(), [this](int c, vector3 p) {
      return c == 0 ? std::sin(k * p.z) * std::cos(k * p.y) : c == 1 ? -std::cos(k * p.z) * std::sin(k * p.y) : 0.0;
    });
  }
  // Lengths are in voxels, and the velocity is 1 mm/s. The viscosity determines the Reynolds number.
  static const physics::through_problem& central(physics::through_problem& problem, double density_over_viscosity) {
    problem.is_central = true;
    problem.density_kg_per_m3 = 1e6 * density_over_viscosity;
    return problem;
  }
  // Time in seconds in which the amplitude decreases by the factor e.
  double decay() const { return box.problem.density_kg_per_m3 * 1e-6 / (2 * k * k); }
  // Largest difference between the velocities and the product of the initial velocities and a factor.
  double distance(double factor) {
    const auto n = static_cast<std::size_t>(box.open.cells.stride());
    std::vector<double> exact(4 * n);
    box.set(exact, [&](int c, vector3 p) {
      return c == 0   ? factor * std::sin(k * p.z) * std::cos(k * p.y)
             : c == 1 ? -factor * std::cos(k * p.z) * std::sin(k * p.y)
                      : 0.0;
    });
    const auto x = time.answer();
    double worst = 0;
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < static_cast<std::size_t>(box.open.cells.grid.owned); ++i)
        worst = std::max(worst, std::abs(x[c * n + i] - exact[c * n + i]));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, box.problem.where.comm);
    return worst;
  }
};

// Oracle: the exact solution of Navier-Stokes, u exp(-2 nu k^2 t). The error is of second order in space, and the step is
// proportional to the voxel size.
TEST(flow_transient, a_vortex_of_taylor_and_green_decays_as_it_should) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  std::vector<double> error;
  for (const std::int64_t n : {8, 16, 32}) {
    vortex v(comm, n, 20, 1e-7);
    v.time.start(false);
    const double end = 0.5 * v.decay();
    const auto steps = static_cast<int>(2 * n);
    for (int s = 0; s < steps; ++s) EXPECT_TRUE(v.time.step(end / steps).converged);
    error.push_back(v.distance(std::exp(-0.5)));
  }
  EXPECT_LT(error[2], 3e-4);
  EXPECT_GT(error[0] / error[1], 3.4);
  EXPECT_GT(error[1] / error[2], 3.4);
}

// Oracle: the same voxels with steps that are sixteen times shorter than the shortest step. The difference is the error of
// the steps.
TEST(flow_transient, a_vortex_of_taylor_and_green_is_of_second_order_in_the_step) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  struct state {
    std::vector<double> velocity;
    double energy;
  };
  const auto after = [&](int steps) {
    vortex v(comm, 8, 20, 1e-10);
    v.time.start(false);
    const double end = 0.5 * v.decay();
    for (int s = 0; s < steps; ++s) EXPECT_TRUE(v.time.step(end / steps).converged);
    return state{v.time.answer(), v.time.kinetic_energy()};
  };
  const state exact = after(512);
  std::vector<double> velocity, energy;
  for (const int steps : {8, 16, 32}) {
    const state found = after(steps);
    double worst = 0;
    const std::size_t velocities = found.velocity.size() / 4 * 3;
    for (std::size_t i = 0; i < velocities; ++i) worst = std::max(worst, std::abs(found.velocity[i] - exact.velocity[i]));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    velocity.push_back(worst);
    energy.push_back(std::abs(found.energy / exact.energy - 1));
  }
  EXPECT_LT(velocity[2], 1e-4);
  for (const auto& error : {velocity, energy})
    for (const std::size_t n : {0, 1}) EXPECT_NEAR(std::log2(error[n] / error[n + 1]), 2, 0.15);
}

// Oracle: an invariant of the scheme. Without friction, the vortex is steady. It loses energy only up to the tolerance of
// the pressure, for any length of the steps.
TEST(flow_transient, loses_no_energy_without_viscosity) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  for (const double step_s : {0.2, 0.1}) {
    vortex v(comm, 12, 1e9, 1e-9);
    v.time.start(false);
    const double before = v.time.kinetic_energy();
    for (int s = 0; s < std::lround(8 / step_s); ++s) v.time.step(step_s);
    EXPECT_NEAR(v.time.kinetic_energy(), before, 1e-7 * before);
  }
}

// Oracle: the equations in time on the same voxels, solved by eigenvalues. The error is of second order in the step. The
// second oracle is the series.
TEST(flow_transient, starts_up_between_plates) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const std::int64_t g = 10, length = 4;
  const double drop = 3, nu = 1, end = 0.1 * static_cast<double>(g * g) / nu;
  const auto problem = make_moving(comm, image({length, g, 2}, [](index3) { return 1; }),
                                   {on(axis::z, false, face_flow::pressure, drop), on(axis::z, true, face_flow::pressure),
                                    on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)});
  Eigen::MatrixXd friction = Eigen::MatrixXd::Zero(g, g);
  for (std::int64_t i = 0; i < g; ++i) {
    friction(i, i) = i == 0 || i == g - 1 ? 3 : 2;
    if (i > 0) friction(i, i - 1) = friction(i - 1, i) = -1;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(friction);
  const Eigen::VectorXd force = Eigen::VectorXd::Constant(g, drop / length);
  Eigen::VectorXd amplitude = modes.eigenvectors().transpose() * force;
  for (std::int64_t i = 0; i < g; ++i) {
    const double rate = modes.eigenvalues()[i];
    amplitude[i] *= (1 - std::exp(-rate * nu * end)) / rate;
  }
  const Eigen::VectorXd exact = modes.eigenvectors() * amplitude;
  // The series at the centre, from Batchelor, An Introduction to Fluid Dynamics, 4.3.
  double series = drop / length * static_cast<double>(g * g) / 8;
  for (int m = 0; m < 40; ++m) {
    const double k = (2 * m + 1) * std::numbers::pi / static_cast<double>(g);
    series -=
        (m % 2 == 0 ? 1 : -1) * drop / length * 4 / (std::pow(k, 3) * static_cast<double>(g)) * std::exp(-k * k * nu * end);
  }
  EXPECT_NEAR(1.125 * exact[g / 2] - 0.125 * exact[g / 2 + 1], series, 0.02 * series);

  std::vector<double> errors;
  for (const int steps : {20, 40, 80}) {
    physics::flow_time_plan plan;
    plan.end_s = end;
    plan.step_s = end / steps;
    plan.record_every_s = end / 4;
    plan.courant = 1;
    auto slow = problem;  // the same flow in slower units, with a small Courant number
    slow.has_inertia = false;
    const auto answer = run(slow, plan, 1e-9);
    EXPECT_EQ(answer.steps, steps);
    EXPECT_EQ(answer.history.size(), 5U);
    double worst = 0;
    for (const auto& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const auto i = static_cast<std::size_t>(3 * (r.first + n));
        worst = std::max(worst, std::abs(static_cast<double>(answer.end.velocity_mm_per_s[i]) - exact[r.y]));
        EXPECT_NEAR(answer.end.pressure_Pa[i / 3],
                    drop * (static_cast<double>(length - problem.where.owned.begin.z - r.z) - 0.5) / length, 1e-5);
      }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    errors.push_back(worst / exact.maxCoeff());
  }
  EXPECT_LT(errors[2], 1e-4);
  EXPECT_GT(errors[0] / errors[1], 3.5);
  EXPECT_GT(errors[1] / errors[2], 3.5);
}

image block_in_a_channel() {
  return {{10, 6, 4}, [](index3 p) { return !(p.z >= 4 && p.z < 6 && (p.y < 3 || p.x < 1)); }};
}

// Oracle: the steady solver, which is a different solver of these equations.
TEST(flow_transient, comes_to_rest_where_the_steady_flow_is) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  auto problem =
      make_moving(comm, block_in_a_channel(),
                  {on(axis::z, false, face_flow::velocity, 1.5), on(axis::z, true, face_flow::outlet)}, {1, 0.9, 1.2});
  const auto steady = physics::solve_flow_through(problem, {1e-9, 2000, true, {}}, null_log());
  ASSERT_TRUE(steady.flows[0].certificate.converged);
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  for (const auto start : {physics::flow_start::rest, physics::flow_start::creeping, physics::flow_start::steady}) {
    if (ranks > 1 && start != physics::flow_start::rest) break;
    physics::flow_time_plan plan;
    plan.end_s = 1000;
    plan.start = start;
    plan.steady_change_per_s = 1e-6;
    plan.courant = 0.9;
    const auto answer = run(problem, plan, 1e-7);
    EXPECT_TRUE(answer.is_steady);
    EXPECT_LE(answer.highest_courant, 0.95);
    EXPECT_GE(answer.highest_courant, 0.5);
    const auto &is = answer.end.flows[0], &should = steady.flows[0];
    EXPECT_NEAR(is.pressure_drop_Pa, should.pressure_drop_Pa, 1e-5 * should.pressure_drop_Pa);
    EXPECT_NEAR(is.force_on_solid_N.z, should.force_on_solid_N.z, 1e-5 * should.force_on_solid_N.z);
    EXPECT_NEAR(is.force_on_solid_N.y, should.force_on_solid_N.y, 1e-5 * should.force_on_solid_N.z);
    double worst = 0;
    for (std::size_t i = 0; i < answer.end.velocity_mm_per_s.size(); ++i)
      worst = std::max(worst, static_cast<double>(std::abs(answer.end.velocity_mm_per_s[i] - steady.velocity_mm_per_s[i])));
    EXPECT_LT(worst, 2e-5 * should.highest_speed_mm_per_s);
  }
}

// Oracle: the steady solver. The steps are hundreds of times as long as the time of a voxel, so that friction needs
// multigrid cycles.
TEST(flow_transient, long_steps_of_a_creeping_flow_reach_the_steady_one) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  auto problem = make_moving(comm, block_in_a_channel(),
                             {on(axis::z, false, face_flow::pressure, 5), on(axis::z, true, face_flow::outlet)});
  problem.has_inertia = false;
  const auto steady = physics::solve_flow_through(problem, {1e-9, 2000, true, {}}, null_log());
  for (const double implicitness : {0.5, 1.0}) {
    physics::flow_time_plan plan;
    plan.end_s = 6000;
    plan.step_s = 50;
    plan.implicitness = implicitness;
    const auto answer = run(problem, plan, 1e-8);
    const auto &is = answer.end.flows[0], &should = steady.flows[0];
    EXPECT_NEAR(is.inflow_mm3_per_s, should.inflow_mm3_per_s, 1e-4 * should.inflow_mm3_per_s) << implicitness;
    EXPECT_NEAR(is.force_on_solid_N.z, should.force_on_solid_N.z, 1e-4 * should.force_on_solid_N.z) << implicitness;
  }
}

// Oracle: one rank.
TEST(flow_transient, does_not_depend_on_the_ranks) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  const auto boundaries = {on(axis::z, false, face_flow::velocity, 2), on(axis::z, true, face_flow::outlet),
                           on(axis::y, true, face_flow::slip)};
  physics::flow_time_plan plan;
  plan.end_s = 1;
  plan.record_every_s = 0.25;
  const auto all = run(make_moving(comm, block_in_a_channel(), boundaries), plan, 1e-10);
  if (comm::rank(comm) != 0) return;
  const auto one = run(make_moving(MPI_COMM_SELF, block_in_a_channel(), boundaries), plan, 1e-10);
  ASSERT_EQ(all.history.size(), one.history.size());
  ASSERT_EQ(all.steps, one.steps);
  EXPECT_EQ(all.history.size(), 5U);
  for (std::size_t n = 1; n < all.history.size(); ++n) {
    const auto &a = all.history[n], &b = one.history[n];
    EXPECT_EQ(a.time_s, 0.25 * static_cast<double>(n));
    EXPECT_NEAR(a.time_s, b.time_s, 1e-12);
    EXPECT_NEAR(a.kinetic_energy_J, b.kinetic_energy_J, 1e-8 * b.kinetic_energy_J);
    EXPECT_NEAR(a.flow.pressure_drop_Pa, b.flow.pressure_drop_Pa, 1e-8 * std::abs(b.flow.pressure_drop_Pa));
    EXPECT_NEAR(a.flow.force_on_solid_N.z, b.flow.force_on_solid_N.z, 1e-8 * std::abs(b.flow.force_on_solid_N.z));
    EXPECT_NEAR(a.flow.boundaries[1].inflow_mm3_per_s, b.flow.boundaries[1].inflow_mm3_per_s,
                1e-8 * std::abs(b.flow.boundaries[0].inflow_mm3_per_s));
  }
}

TEST(flow_transient, rejects_impossible_steps) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  auto problem = make_moving(comm, image({4, 4, 4}, [](index3) { return 1; }),
                             {on(axis::z, false, face_flow::velocity, 2), on(axis::z, true, face_flow::outlet)});
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
  plan.step_s = 0.5;
  says("Courant number is 1");
  plan.step_s = 2;
  says("must not exceed");
  plan.step_s = 0;
  plan.courant = 0;
  says("Courant number 0");
  plan.courant = 0.5;
  plan.end_s = -1;
  says("end time -1 s");
  plan.end_s = 1;
  plan.implicitness = 0.4;
  says("implicitness 0.4");
  plan.implicitness = 0.5;
  problem.has_inertia = false;
  says("give the time step");
  problem.has_inertia = true;
  problem.multiples = {1, 2};
  says("exactly one multiple");
  problem.multiples = {1};
  // In a constriction, the fluid is faster than any given velocity.
  auto narrow = make_moving(comm, image({6, 5, 5}, [](index3 p) { return p.z != 3 || (p.y == 2 && p.x == 2); }),
                            {on(axis::z, false, face_flow::velocity, 2), on(axis::z, true, face_flow::outlet)});
  plan.step_s = 0.1;
  physics::check_transient_flow(narrow, plan, {});
  EXPECT_THROW(physics::solve_transient_flow(narrow, plan, {}, nullptr, {}, null_log()), solve_error);
}

}  // namespace flow_transient_test
