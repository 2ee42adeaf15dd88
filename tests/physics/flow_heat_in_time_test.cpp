#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <osteon/physics/flow/solver/transport/buoyant_flow.hpp>
#include <osteon/physics/flow/solver/transport/heat_in_time.hpp>
#include <osteon/physics/heat/solver/heat_transient.hpp>
#include <random>

#include "physics/flow_openings.hpp"

namespace flow_heat_in_time_test {

using namespace osteon;
using namespace flow_images;
using numerics::thermal;
using physics::face_flow;
using physics::flow_boundary;
using physics::heat_boundary;
using physics::temperature_problem;

// Material 1 is fluid, and material 2 is solid. For the fluid, the viscosity, the density divided by the viscosity, the
// conductivity and the capacity are one, in the units mm, s, Pa s, W and K.
struct warm_flow {
  physics::through_problem flow;
  temperature_problem heat;
  physics::heat_time_plan plan;
};

warm_flow make_warm(MPI_Comm comm, const image& img, std::vector<flow_boundary> openings,
                    std::vector<std::optional<double>> incoming, std::vector<heat_boundary> conditions,
                    double solid_conductivity = 1, vector3 spacing = {1, 1, 1}) {
  warm_flow all;
  const image box(img.shape, [](index3) { return 1; });
  all.flow = make_through(comm, box, openings, spacing);
  all.flow.has_inertia = true;
  temperature_problem& heat = all.heat;
  heat.where = all.flow.where;
  heat.spacing_mm = spacing;
  heat.cells = all.flow.cells;
  const index3 own = heat.where.owned.shape(), first = heat.where.owned.begin;
  for (const voxel::run& r : heat.cells.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      heat.material.push_back(static_cast<material_number>(img.at(first + index3{r.z, r.y, r.x + n})));
  EXPECT_EQ(static_cast<std::int64_t>(heat.material.size()), own.volume());
  heat.materials = {{"empty", 0, 0, 0}, {"fluid", 0, 0, 1000}, {"solid", 0, 0, 1000 * solid_conductivity}};
  const std::array<material_number, 1> fluid{1};
  heat.fluid = physics::fluid_cells(heat.cells, heat.material, fluid);
  all.flow.cells = heat.fluid;
  heat.heat_capacity_J_per_mm3K = 1;
  heat.openings = std::move(openings);
  heat.incoming_K = std::move(incoming);
  heat.conditions = std::move(conditions);
  heat.initial_K = 300;
  all.plan.heat_capacity_J_per_mm3K = {0, 1, 3};
  all.plan.tolerance = 1e-9;
  return all;
}

heat_boundary heated(axis across, bool high, double temperature_K) {
  return {on(across, high, face_flow::wall), {thermal::temperature, temperature_K, 0, 0}};
}

struct outcome {
  physics::transient_flow_solution flow;
  std::vector<physics::heat_in_flow_record> history;
  std::vector<double> temperature_K;
};

outcome run(const warm_flow& w, physics::flow_time_plan plan, double tolerance = 1e-8) {
  physics::heat_in_time heat(w.heat, w.flow, w.plan, null_log());
  plan.carries = &heat;
  plan.implicitness = w.plan.implicitness;
  outcome all;
  all.flow = physics::solve_transient_flow(w.flow, plan, {tolerance, 500, true, {}}, nullptr, {}, null_log());
  EXPECT_TRUE(all.flow.certificate.converged);
  EXPECT_TRUE(heat.certificate().converged);
  EXPECT_LE(heat.certificate().reaction_imbalance, w.plan.tolerance);
  all.history = heat.history();
  all.temperature_K = heat.temperature_K();
  EXPECT_EQ(all.history.size(), all.flow.history.size());
  return all;
}

// Oracle: the equations of the same voxels by fine Runge-Kutta steps. The flow is a plug flow whose velocity increases with
// time. The error is of second order in the step.
TEST(flow_heat_in_time, a_plug_that_speeds_up_carries_heat_to_second_order_in_time) {
  const ranks_with_a_plane comm(12);
  if (comm == MPI_COMM_NULL) return;
  const int n = 12;
  const double end = 2, arriving = 310;
  auto inlet = on(axis::z, false, face_flow::velocity, 2);
  inlet.factor.points = {{0, 0.2}, {end, 1}};
  auto w = make_warm(
      comm, image({n, 1, 1}, [](index3) { return 1; }),
      {inlet, on(axis::z, true, face_flow::outlet), on(axis::y, false, face_flow::slip), on(axis::y, true, face_flow::slip),
       on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)},
      {arriving, {}, {}, {}, {}, {}}, {});
  w.heat.convection = physics::heat_convection::central;
  const auto rate = [&](const std::vector<double>& t, double time) {
    const double u = 2 * (0.2 + 0.8 * time / end);
    std::vector<double> r(t.size());
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      r[k] = i == 0 ? (u + 2) * (arriving - t[k]) : (u / 2 + 1) * (t[k - 1] - t[k]);
      if (i + 1 < n) r[k] += (1 - u / 2) * (t[k + 1] - t[k]);
    }
    return r;
  };
  std::vector<double> exact(n, 300.0);
  constexpr int fine = 4000;
  for (int s = 0; s < fine; ++s) {
    const double h = end / fine, time = s * h;
    const auto moved = [&](const std::vector<double>& by, double f) {
      std::vector<double> to = exact;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += f * by[i];
      return to;
    };
    const auto a = rate(exact, time), b = rate(moved(a, h / 2), time + h / 2), c = rate(moved(b, h / 2), time + h / 2),
               d = rate(moved(c, h), time + h);
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  std::vector<double> errors;
  for (const int steps : {16, 32, 64}) {
    physics::flow_time_plan plan;
    plan.end_s = end;
    plan.step_s = end / steps;
    plan.courant = 1;
    const auto answer = run(w, plan);
    double worst = 0;
    for (const voxel::run& r : w.heat.cells.runs())
      worst = std::max(worst, std::abs(answer.temperature_K[static_cast<std::size_t>(r.first)] -
                                       exact[static_cast<std::size_t>(w.heat.where.owned.begin.z + r.z)]));
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    errors.push_back(worst);
  }
  EXPECT_LT(errors[2], 5e-3);
  EXPECT_GT(errors[0] / errors[1], 3.3);
  EXPECT_GT(errors[1] / errors[2], 3.6);
}

// Oracle: the transient heat solver with an equal scheme, for a nearly stationary fluid in a solid.
TEST(flow_heat_in_time, a_stationary_fluid_agrees_with_the_heat_solver) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  std::mt19937 random(3);
  const image img({6, 7, 8}, [&](index3) { return random() % 3 == 0 ? 2 : 1; });
  auto slow = on(axis::x, true, face_flow::wall);
  slow.slide_mm_per_s = {1e-9, 0, 0};
  auto w = make_warm(comm, img, {slow}, {{}},
                     {heated(axis::z, false, 310),
                      {on(axis::y, true, face_flow::wall), {thermal::convection, 290, 0, 0.5}},
                      {on(axis::x, false, face_flow::wall), {thermal::flux, 0, 2, 0}}},
                     20, {0.5, 0.4, 0.6});
  w.flow.is_buoyant = true;  // the fluid includes all of the fluid voxels
  w.plan.implicitness = 1;
  w.heat.source_W_per_mm3 = {0, 1, 0};
  numerics::heat_problem conduction;
  conduction.where = w.heat.where;
  conduction.spacing_mm = w.heat.spacing_mm;
  conduction.materials = &w.heat.materials;
  conduction.cells = w.heat.cells;
  conduction.material = w.heat.material;
  conduction.source_W_per_mm3 = w.heat.source_W_per_mm3;
  for (const heat_boundary& c : w.heat.conditions)
    conduction.faces[static_cast<std::size_t>(c.place.across)][c.place.high ? 1 : 0] = c.heat;
  const physics::time_plan like{w.plan.heat_capacity_J_per_mm3K, 300, 2, 0.2, 1, 1};
  const auto should = physics::solve_transient(conduction, like, {1e-10, 300, nullptr}, null_log());
  physics::flow_time_plan plan;
  plan.end_s = 2;
  plan.step_s = 0.2;
  const auto is = run(w, plan);
  ASSERT_EQ(is.temperature_K.size(), should.temperature_K.size());
  for (std::size_t i = 0; i < is.temperature_K.size(); ++i) EXPECT_NEAR(is.temperature_K[i], should.temperature_K[i], 1e-6);
  for (std::size_t n = 1; n < is.history.size(); ++n) {
    EXPECT_NEAR(is.history[n].heat.stored_W, should.history[n].stored_W, 1e-6 * std::abs(should.history[1].stored_W));
    EXPECT_NEAR(is.history[n].heat.face_inflow_W[0][0], should.history[n].inflow_W[0][0], 1e-5);
    EXPECT_NEAR(is.history[n].heat.mean_K, should.history[n].mean_K, 1e-7);
  }
}

// Oracle: the first law over all steps. The heat received from faces, sources and openings equals the increase of heat in
// fluid and solid. The temperature remains between the given temperatures.
TEST(flow_heat_in_time, all_heat_that_comes_is_stored_or_leaves) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const image img({8, 6, 5}, [](index3 p) { return p.z >= 3 && p.z < 5 && p.y < 3 ? 2 : 1; });
  for (const double implicitness : {1.0, 0.5}) {
    auto w = make_warm(comm, img, {on(axis::z, false, face_flow::velocity, 6), on(axis::z, true, face_flow::outlet)},
                       {305, {}}, {heated(axis::y, false, 320)}, 5);
    w.plan.implicitness = implicitness;
    w.plan.tolerance = 1e-8;
    w.heat.materials[1].conductivity_W_per_mK = 300;
    physics::flow_time_plan plan;
    plan.end_s = 1.5;
    plan.courant = 0.8;
    const auto answer = run(w, plan, 1e-4);
    double held = 0;
    for (std::size_t i = 0; i < answer.temperature_K.size(); ++i)
      held += (w.heat.material[i] == 1 ? 1 : 3) * (answer.temperature_K[i] - 300);
    MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (implicitness == 1) {  // the other scheme begins with two half steps, and the second half step is reported
      double came = 0;
      for (std::size_t n = 1; n < answer.history.size(); ++n) {
        const auto& h = answer.history[n].heat;
        double in = h.source_W - h.carried_out_W;
        for (const auto& pair : h.face_inflow_W) in += pair[0] + pair[1];
        came += in * answer.flow.history[n].step_s;
      }
      // Incoming heat is relative to the lowest temperature, which is permitted because mass is conserved.
      EXPECT_NEAR(came, held, 1e-6 * held);
    }
    EXPECT_GT(answer.history.back().heat.limited_share, 0);
    EXPECT_GE(answer.history.back().heat.low_K, 300 - (implicitness == 1 ? 1e-6 : 0.2));
    EXPECT_LE(answer.history.back().heat.high_K, 320 + 1e-6);
  }
}

// Oracle: the steady solver of natural convection.
TEST(flow_heat_in_time, natural_convection_comes_to_its_steady_state) {
  const ranks_with_a_plane comm(12);
  if (comm == MPI_COMM_NULL) return;
  const int n = 12;
  const double prandtl = 0.71, rayleigh = 1e4;
  auto w = make_warm(comm, image({n, n, 1}, [](index3) { return 1; }),
                     {on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)}, {{}, {}},
                     {heated(axis::y, false, 301), heated(axis::y, true, 300)});
  w.flow.viscosity_Pa_s = prandtl;
  w.flow.is_buoyant = true;
  const vector3 gravity{-rayleigh * prandtl / std::pow(n, 3), 0, 0};
  w.plan.weight = {1e-3, gravity, {}};
  w.plan.tolerance = 1e-7;
  w.heat.initial_K = 300.5;
  physics::buoyant_problem p{w.flow, w.heat, 1e-3, gravity, {}};
  p.heat.initial_K.reset();
  physics::through_options how{1e-6, 2000, true, {}};
  how.faces = true;
  const auto steady = physics::solve_buoyant_flow(p, how, {1e-7, 500, nullptr}, null_log());
  ASSERT_TRUE(steady.flow.flows[0].certificate.converged);
  physics::flow_time_plan plan;
  plan.end_s = 400;
  plan.courant = 0.9;
  plan.steady_change_per_s = 1e-5;
  const auto answer = run(w, plan, 1e-6);
  EXPECT_TRUE(answer.flow.is_steady);
  const double should = steady.heat.face_inflow_W[1][0];
  EXPECT_GT(should, 2 * (*steady.rest_inflow_W)[1][0]);
  EXPECT_NEAR(answer.history.back().heat.face_inflow_W[1][0], should, 1e-4 * should);
  EXPECT_NEAR(answer.flow.end.flows[0].highest_speed_mm_per_s, steady.flow.flows[0].highest_speed_mm_per_s,
              1e-3 * steady.flow.flows[0].highest_speed_mm_per_s);
}

// Oracle: the text of the messages.
TEST(flow_heat_in_time, rejects_zero_heat_capacity) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const auto message_of = [](const warm_flow& w) -> std::string {
    try {
      physics::check_heat_in_time(w.heat, w.plan);
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  };
  auto w = make_warm(comm, image({4, 4, 2}, [](index3 p) { return p.y < 2 ? 1 : 2; }), {}, {}, {});
  EXPECT_EQ(message_of(w), "");
  w.plan.heat_capacity_J_per_mm3K = {0, 0, 0};
  EXPECT_NE(message_of(w).find("material 2 (solid): heat capacity 0"), std::string::npos);
  w.plan.heat_capacity_J_per_mm3K = {0, 1, 1};
  w.heat.initial_K.reset();
  EXPECT_NE(message_of(w).find("initial temperature"), std::string::npos);
  w.heat.initial_K = 300;
  w.plan.weight = {1e-3, {}, {}};
  EXPECT_NE(message_of(w).find("must be finite and not 0"), std::string::npos);
}

}  // namespace flow_heat_in_time_test
