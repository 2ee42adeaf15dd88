#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <osteon/physics/flow/solver/transport/flow_temperature.hpp>
#include <osteon/physics/heat/solver/heat.hpp>
#include <random>

#include "physics/flow_openings.hpp"

namespace flow_temperature_test {

using namespace osteon;
using namespace flow_images;
using numerics::thermal;
using physics::face_flow;
using physics::flow_boundary;
using physics::heat_boundary;
using physics::heat_convection;
using physics::temperature_problem;

flow_boundary place(axis across, bool high, face_flow kind = face_flow::wall, double value = 0, bool is_developed = false) {
  return flow_images::on(across, high, kind, value, is_developed);
}

heat_boundary held(axis across, bool high, double temperature_K) {
  return {place(across, high), {thermal::temperature, temperature_K, 0, 0}};
}
heat_boundary film(axis across, bool high, double temperature_K, double transfer) {
  return {place(across, high), {thermal::convection, temperature_K, 0, transfer}};
}

// Material 1 is fluid, other materials are solid, and voxels of material 0 have no temperature.
struct setting {
  image img;
  std::vector<double> conductivity{0, 1, 1};
  vector3 spacing{1, 1, 1};
  std::vector<flow_boundary> openings{};
  std::vector<std::optional<double>> incoming{};
  std::vector<heat_boundary> conditions{};
  double heat_capacity = 1;
  bool inertia = false;
  double flow_tolerance = 1e-9;
};

temperature_problem make_still(MPI_Comm comm, const setting& s) {
  const auto all = make_problem(comm, s.img, {axis::z}, physics::flow_surroundings::closed, s.spacing);
  temperature_problem p;
  p.where = all.where;
  p.spacing_mm = s.spacing;
  p.cells = all.cells;
  const std::int64_t plane = s.img.shape.y * s.img.shape.x;
  const material_number* const first = s.img.voxels.data() + p.where.owned.begin.z * plane;
  for (const voxel::run& r : p.cells.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      p.material.push_back(first[(r.z * p.where.owned.shape().y + r.y) * p.where.owned.shape().x + r.x + n]);
  for (std::size_t m = 0; m < s.conductivity.size(); ++m)
    p.materials.push_back({m == 0 ? "empty" : m == 1 ? "fluid" : "solid", 0, 0, 1000 * s.conductivity[m]});
  const std::array<material_number, 1> fluid{1};
  p.fluid = physics::fluid_cells(p.cells, p.material, fluid);
  p.heat_capacity_J_per_mm3K = s.heat_capacity;
  p.openings = s.openings;
  p.incoming_K = s.incoming;
  p.incoming_K.resize(s.openings.size());
  p.conditions = s.conditions;
  return p;
}

// Uses the velocities of the flow solver.
temperature_problem make_flowing(MPI_Comm comm, const setting& s) {
  temperature_problem p = make_still(comm, s);
  physics::through_problem flow;
  flow.where = p.where;
  flow.spacing_mm = s.spacing;
  flow.cells = p.fluid;
  flow.boundaries = s.openings;
  flow.viscosity_Pa_s = 1;
  flow.density_kg_per_m3 = 1e6;
  flow.has_inertia = s.inertia;
  physics::through_options how{s.flow_tolerance, 2000, true, {}};
  how.faces = true;
  how.carry = physics::keep_mass;
  const auto answer = physics::solve_flow_through(flow, how, null_log());
  EXPECT_TRUE(answer.flows[0].certificate.converged);
  p.face_velocity_mm_per_s = answer.face_velocity_mm_per_s;
  return p;
}

const numerics::options exact{1e-10, 300, nullptr};

physics::temperature_solution solve_all(const temperature_problem& p, const numerics::options& how = exact) {
  auto answer = physics::solve_flow_temperature(p, how, null_log());
  EXPECT_TRUE(answer.certificate.converged);
  EXPECT_LE(answer.certificate.true_relative_residual, how.tolerance);
  return answer;
}

// The temperature of a voxel of the image, on all ranks.
double temperature_at(const temperature_problem& p, const physics::temperature_solution& s, index3 voxel) {
  double value = -1e300;
  const index3 local = voxel - p.where.owned.begin;
  if (p.where.owned.contains(voxel))
    value = s.temperature_K[static_cast<std::size_t>(p.cells.find(local.z, local.y, local.x))];
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, p.where.comm);
  return value;
}

// Oracle: conductances in series of a film, a slab of solid, and a slab of fluid at rest.
TEST(flow_temperature, slabs_at_rest_conduct_in_series) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  for (const axis along : {axis::z, axis::y, axis::x}) {
    index3 shape{9, 9, 9};
    setting s{image(shape, [&](index3 p) { return p[static_cast<int>(along)] < 4 ? 1 : 2; })};
    s.conductivity = {0, 0.5, 20};
    s.spacing = {0.5, 0.25, 1};
    s.conditions = {held(along, false, 310), film(along, true, 290, 3)};
    const auto p = make_still(comm, s);
    const auto answer = solve_all(p);
    const double h = s.spacing[static_cast<int>(along)];
    const double resistance = 4 * h / 0.5 + 5 * h / 20 + 1.0 / 3, flux = 20 / resistance;
    const double area = 81 * s.spacing.z * s.spacing.y * s.spacing.x / h;
    EXPECT_NEAR(answer.condition_W[0], flux * area, 1e-8 * flux * area);
    EXPECT_NEAR(answer.condition_W[1], -flux * area, 1e-8 * flux * area);
    // values for the fixed face and for the face to the solid
    EXPECT_NEAR(answer.walls.mean_K, 310 - flux * (4 * h / 0.5) * 0.5, 1e-6);
    EXPECT_NEAR(answer.low_K, 310 - flux * (4 * h / 0.5 + 4.5 * h / 20), 1e-7);
    EXPECT_EQ(answer.overshoot_K, 0);
    EXPECT_LT(answer.certificate.reaction_imbalance, 1e-8);
  }
}

const double infinity = flow_boundary::unlimited;

// A column of fluid along z in plug flow. The fluid is heated everywhere.
double error_of_plug(MPI_Comm comm, std::int64_t n, double peclet, double spacing, heat_convection how) {
  setting s{image({n, 1, 1}, [](index3) { return 1; })};
  s.spacing = {spacing, 1, 1};
  s.openings = {place(axis::z, false, face_flow::velocity, 3), place(axis::z, true, face_flow::outlet)};
  for (const axis side : {axis::y, axis::x})
    for (const bool high : {false, true}) s.openings.push_back(place(side, high, face_flow::slip));
  s.incoming = {300};
  const double length = static_cast<double>(n) * spacing;
  s.heat_capacity = peclet / (3 * length);
  auto p = make_flowing(comm, s);
  p.convection = how;
  const double a = peclet / length, heating = 5;
  p.source_W_per_mm3 = {0, heating, 0};
  const auto answer = solve_all(p);
  EXPECT_LT(answer.certificate.reaction_imbalance, 1e-7);
  EXPECT_NEAR(answer.carried_out_W - answer.face_inflow_W[0][0], heating * length, 1e-6 * heating * length);
  double worst = 0, largest = 0;
  // The last voxel has the outflow temperature, which is the temperature of a point half a voxel further along.
  for (std::int64_t z = 0; z < n - (peclet > 2 * static_cast<double>(n) ? 1 : 0); ++z) {
    const double x = (static_cast<double>(z) + 0.5) * spacing;
    const double exact_K = 300 + heating / a * x - heating / (a * a) * (std::exp(a * (x - length)) - std::exp(-a * length));
    worst = std::max(worst, std::abs(temperature_at(p, answer, {z, 0, 0}) - exact_K));
    largest = std::max(largest, exact_K - 300);
  }
  return worst / largest;
}

// Oracle: T = T0 + q x / (c U) - q k / (c U)^2 (exp(Pe (x / L - 1)) - exp(-Pe)), with zero gradient at the end.
TEST(flow_temperature, a_heated_plug_has_the_exact_profile_to_second_order) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  for (const heat_convection how : {heat_convection::limited, heat_convection::central}) {
    const double coarse = error_of_plug(comm, 10, 8, 0.4, how), fine = error_of_plug(comm, 20, 8, 0.2, how);
    EXPECT_LT(coarse, 0.02);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.25);
  }
  // The Peclet number of a voxel is 20. The temperature is linear except in a layer thinner than one voxel.
  EXPECT_LT(error_of_plug(comm, 10, 200, 0.4, heat_convection::limited), 0.01);
  EXPECT_GT(error_of_plug(comm, 10, 200, 0.4, heat_convection::hybrid), 0.03);
}

// Nusselt number far inside a duct. The walls of the duct have one temperature, or a temperature that increases along the
// duct. With increasing temperature, the heat flux is constant along the duct. The sizes are in voxels, and a size of 0
// means plates.
double nusselt_of_duct(MPI_Comm comm, std::int64_t high, std::int64_t wide, double rise_K_per_voxel = 0) {
  constexpr std::int64_t steps = 32, place_of_it = 20;
  setting s{image({steps, high, std::max<std::int64_t>(1, wide)}, [](index3) { return 1; })};
  const bool is_even = rise_K_per_voxel != 0;
  // For uniform heating, conduction along the duct does not change the Nusselt number. With a low Peclet number, the profile
  // develops early.
  const double h = 1.0 / static_cast<double>(high), diameter = wide == 0 ? 2 : 1, peclet = is_even ? 10 : 50;
  s.spacing = {0.25, h, h};
  s.openings = {place(axis::z, false, face_flow::velocity, 1, true), place(axis::z, true, face_flow::outlet)};
  s.incoming = {is_even ? 299 : 400};
  const auto hold = [&](axis across) {
    for (const bool is_high : {false, true})
      for (std::int64_t z = 0; z < (is_even ? steps : 1); ++z) {
        s.conditions.push_back(held(across, is_high, 300 + rise_K_per_voxel * static_cast<double>(z)));
        if (!is_even) continue;
        flow_boundary& ring = s.conditions.back().place;
        ring.low_mm.z = s.spacing.z * static_cast<double>(z);
        ring.high_mm.z = s.spacing.z * static_cast<double>(z + 1);
      }
  };
  hold(axis::y);
  if (wide == 0)
    s.openings.insert(s.openings.end(), {place(axis::x, false, face_flow::slip), place(axis::x, true, face_flow::slip)});
  else
    hold(axis::x);
  s.heat_capacity = peclet / diameter;
  const auto p = make_flowing(comm, s);
  const auto answer = solve_all(p);
  EXPECT_LT(answer.certificate.reaction_imbalance, 1e-7);
  EXPECT_EQ(answer.overshoot_K, 0);
  const double wall_K = 300 + rise_K_per_voxel * place_of_it;
  // sums over one cross-section of the flow, of the flow times temperature, and of the heat into walls
  std::array<double, 3> sums{};
  for (const voxel::run& r : p.cells.runs())
    for (std::int32_t n = 0; n < r.length && p.where.owned.begin.z + r.z == place_of_it; ++n) {
      const auto i = static_cast<std::size_t>(r.first + n);
      const double excess = answer.temperature_K[i] - wall_K, u = p.face_velocity_mm_per_s[6 * i];
      const std::int64_t y = p.where.owned.begin.y + r.y, x = p.where.owned.begin.x + r.x + n;
      const int walls = (y == 0) + (y == high - 1) + (wide == 0 ? 0 : (x == 0) + (x == wide - 1));
      sums[0] += u;
      sums[1] += u * excess;
      sums[2] += walls * 2 / h * excess * h;  // relative to the edge of a voxel
    }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, p.where.comm);
  const double perimeter = wide == 0 ? 2 * h : 4;
  return sums[2] / perimeter / (sums[1] / sums[0]) * diameter;
}

// Oracle: the constants of Graetz's problem, 7.5407 between plates, and 2.976 and 3.608 in a square duct. In the square
// duct, the error is of second order. Conduction along the duct, at a Peclet number of 50, adds some thousandths.
TEST(flow_temperature, ducts_have_graetz_nusselt_numbers) {
  const ranks_with_a_plane comm(32);
  if (comm == MPI_COMM_NULL) return;
  EXPECT_NEAR(nusselt_of_duct(comm, 8, 0), 7.5407, 0.01 * 7.54);
  const double coarse = nusselt_of_duct(comm, 6, 6), fine = nusselt_of_duct(comm, 12, 12);
  EXPECT_NEAR(fine, 2.976, 0.02 * 2.976);
  EXPECT_NEAR((4 * fine - coarse) / 3, 2.976, 0.005 * 2.976);
  // The duct is heated uniformly along its length, with one temperature around each cross-section [ShahLondon1978].
  const double coarse_even = nusselt_of_duct(comm, 8, 8, 0.5), fine_even = nusselt_of_duct(comm, 16, 16, 0.5);
  EXPECT_NEAR(fine_even, 3.608, 0.02 * 3.608);
  EXPECT_NEAR((4 * fine_even - coarse_even) / 3, 3.608, 0.003 * 3.608);
}

// State far inside a slit with uniform heating on one side and insulation on the other side. The temperatures of both walls
// of the fluid are relative to the mixing-cup temperature, in units of heat flux * width / conductivity of the fluid.
struct walls_of_slit {
  double heated = 0, insulated = 0;
};
// The slit has g voxels across. The profile of the flow is that of this grid, as in the chain of taylor_on_grid in
// flow_dispersion_test. Between a voxel and the next voxel flows the heat that the flow has not yet received.
walls_of_slit slit_on_grid(std::int64_t g) {
  std::vector<double> u, t{0};
  double sum = 0, left = 1, mixed = 0;
  for (std::int64_t i = 0; i < g; ++i) {
    const double y = static_cast<double>(i) + 0.5;
    u.push_back(y * (static_cast<double>(g) - y) / 2 + 0.125);
    sum += u.back();
  }
  for (std::size_t i = 0; i < u.size(); ++i) {
    mixed += u[i] / sum * t[i];
    left -= u[i] / sum;
    t.push_back(t[i] - left / static_cast<double>(g));
  }
  return {t[0] + 0.5 / static_cast<double>(g) - mixed, t[u.size() - 1] - mixed};
}

// Oracle: computed by hand, u dT/dz = q / (c H) (6 y / H - 6 (y / H)^2). The temperature is 13/35 q H / k at the heated wall
// and -9/70 q H / k at the other wall [ShahLondon1978]. A slab of solid in front of the wall adds q t / k_solid. On the
// voxels of the slit, the error is due to the finite length of the channel. The sum over these voxels is of second order.
TEST(flow_temperature, a_slit_with_conducting_walls_has_the_closed_form) {
  const ranks_with_a_plane comm(72);
  if (comm == MPI_COMM_NULL) return;
  EXPECT_NEAR(slit_on_grid(400).heated, 13. / 35, 1e-5);
  EXPECT_NEAR(slit_on_grid(400).insulated, -9. / 70, 1e-5);
  EXPECT_NEAR(std::log2((slit_on_grid(16).heated - 13. / 35) / (slit_on_grid(32).heated - 13. / 35)), 2, 0.05);
  EXPECT_NEAR(std::log2((slit_on_grid(16).insulated + 9. / 70) / (slit_on_grid(32).insulated + 9. / 70)), 2, 0.05);

  constexpr std::int64_t length = 72, place_of_it = 40, slab = 3, g = 8;
  constexpr double h = 1. / g, peclet = 10, flux = 7;  // based on the hydraulic diameter, which is twice the width of 1
  for (const double solid : {0.2, 0.6, 1.5}) {
    setting s{image({length, 2 * slab + g, 1}, [](index3 p) { return p.y < slab ? 2 : p.y < slab + g ? 1 : 3; })};
    s.conductivity = {0, 1, solid, 2 * solid};
    s.spacing = {0.25, h, h};
    s.openings = {place(axis::z, false, face_flow::velocity, 1, true), place(axis::z, true, face_flow::outlet),
                  place(axis::x, false, face_flow::slip), place(axis::x, true, face_flow::slip)};
    s.incoming = {300};
    s.heat_capacity = peclet / 2;
    s.conditions = {{place(axis::y, false), {thermal::flux, 0, flux, 0}}};
    const auto p = make_flowing(comm, s);
    const auto answer = solve_all(p);
    EXPECT_LT(answer.certificate.reaction_imbalance, 1e-7);
    // flow, flow times temperature, and outermost temperatures; the last is the heated temperature further along
    std::array<double, 5> sums{};
    for (const voxel::run& r : p.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const double t = answer.temperature_K[static_cast<std::size_t>(r.first + n)];
        const std::int64_t z = p.where.owned.begin.z + r.z, y = p.where.owned.begin.y + r.y;
        if (y == 0 && z == place_of_it + 4) sums[4] = t;
        if (z != place_of_it) continue;
        if (y == 0) sums[2] = t;
        if (y == 2 * slab + g - 1) sums[3] = t;
        const std::int32_t of_fluid = p.fluid.find(r.z, r.y, r.x + n);
        if (of_fluid < 0) continue;
        const double u = p.face_velocity_mm_per_s[6 * static_cast<std::size_t>(of_fluid)];
        sums[0] += u;
        sums[1] += u * t;
      }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 5, MPI_DOUBLE, MPI_SUM, comm);
    const double mixed = sums[1] / sums[0], to_wall = (slab - 0.5) * h / solid;
    // the heat received along the channel
    EXPECT_NEAR(sums[4] - sums[2], flux * 4 * s.spacing.z / s.heat_capacity, 1e-4 * flux);
    const walls_of_slit on_grid = slit_on_grid(g);
    EXPECT_NEAR((sums[2] - mixed) / flux, to_wall + on_grid.heated, 1e-4) << solid;
    EXPECT_NEAR((sums[3] - mixed) / flux, on_grid.insulated, 1e-4) << solid;
  }
}

setting random_setting(double solid_share) {
  std::mt19937 random(7);
  setting s{image({10, 9, 8}, [&](index3 p) {
    const bool solid = static_cast<double>(random()) < solid_share * 4294967296.0;
    return p.x == 0 || p.x == 7 || !solid ? 1 : 2;
  })};
  s.conductivity = {0, 0.6, 5};
  s.spacing = {0.5, 0.4, 0.6};
  s.openings = {place(axis::x, false, face_flow::velocity, 2), place(axis::x, true, face_flow::outlet)};
  s.incoming = {320};
  return s;
}

// Oracle: a uniform temperature, for any remaining divergence of a flow of low accuracy.
TEST(flow_temperature, a_constant_stays_constant_in_a_poor_flow) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  setting s = random_setting(0.3);
  s.heat_capacity = 3;
  s.flow_tolerance = 0.05;
  s.conditions = {held(axis::z, false, 320), film(axis::z, true, 320, 2), held(axis::y, false, 280)};
  // no voxel has this condition, but the given temperatures are not all equal
  s.conditions.back().place.low_mm.y = infinity;
  for (const heat_convection how : {heat_convection::hybrid, heat_convection::limited, heat_convection::central}) {
    auto p = make_flowing(comm, s);
    p.convection = how;
    const auto answer = solve_all(p);
    EXPECT_NEAR(answer.low_K, 320, 1e-6);
    EXPECT_NEAR(answer.high_K, 320, 1e-6);
  }
}

// Oracle: incoming heat equals outgoing heat in a flow with a tolerance of a twentieth. The velocities through the faces of
// each voxel add up to zero. The heat of the inaccurate flow differs from the heat of the accurate flow.
TEST(flow_temperature, a_poor_flow_keeps_the_balance_of_heat) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  setting s = random_setting(0.3);
  s.heat_capacity = 3;
  s.conditions = {held(axis::z, false, 300), film(axis::z, true, 350, 2)};
  const auto good = make_flowing(comm, s);
  s.flow_tolerance = 0.05;
  const auto poor = make_flowing(comm, s);
  double difference = 0;
  for (const auto* p : {&good, &poor}) {
    double worst = 0, highest = 0;
    const std::vector<double>& u = p->face_velocity_mm_per_s;
    for (std::size_t i = 0; i < u.size(); i += 6) {
      const double net = (u[i + 1] - u[i]) / 0.5 + (u[i + 3] - u[i + 2]) / 0.4 + (u[i + 5] - u[i + 4]) / 0.6;
      worst = std::max(worst, std::abs(net));
      highest = std::max(highest, std::abs(u[i + 4]));
      difference = std::max(difference, std::abs(u[i + 4] - good.face_velocity_mm_per_s[i + 4]));
    }
    EXPECT_LE(worst, 1e-10 * highest);
    const auto answer = solve_all(*p);
    EXPECT_LT(answer.certificate.reaction_imbalance, 1e-8);
    EXPECT_NEAR(answer.face_inflow_W[0][0] + answer.face_inflow_W[0][1] + answer.face_inflow_W[2][0], answer.carried_out_W,
                1e-8 * std::abs(answer.carried_out_W));
  }
  MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPI_DOUBLE, MPI_MAX, comm);
  EXPECT_GT(difference, 1e-4);
}

// Oracle: the heat solver, with equal voxels and conditions.
TEST(flow_temperature, without_a_flow_that_counts_it_is_the_heat_solver) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  setting s = random_setting(0.4);
  s.heat_capacity = 1e-12;
  s.conditions = {held(axis::z, false, 300), film(axis::z, true, 350, 2)};
  auto p = make_flowing(comm, s);
  p.source_W_per_mm3 = {0, 0, 40};
  const auto answer = solve_all(p);
  numerics::heat_problem like{.where = p.where,
                              .spacing_mm = p.spacing_mm,
                              .materials = &p.materials,
                              .cells = p.cells,
                              .material = p.material,
                              .source_W_per_mm3 = p.source_W_per_mm3};
  like.faces[0] = {s.conditions[0].heat, s.conditions[1].heat};
  like.faces[2][0] = {thermal::temperature, 320, 0, 0};
  const auto heat = physics::solve_heat(like, {1e-10, 300, nullptr}, null_log());
  for (std::size_t i = 0; i < heat.temperature_K.size(); ++i)
    ASSERT_NEAR(answer.temperature_K[i], heat.temperature_K[i], 1e-5);
  EXPECT_NEAR(answer.condition_W[0], heat.inflow_W[0][0], 1e-6 * std::abs(heat.inflow_W[0][0]));
  EXPECT_NEAR(answer.openings[0].conducted_W, heat.inflow_W[2][0], 1e-5 * std::abs(heat.inflow_W[0][0]));
}

// Oracle: the solution on one rank.
TEST(flow_temperature, is_the_same_on_any_number_of_ranks_and_threads_and_in_balance) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  setting s = random_setting(0.4);
  s.heat_capacity = 2;
  s.conditions = {held(axis::z, false, 300), film(axis::z, true, 350, 2)};
  auto p = make_flowing(comm, s);
  p.source_W_per_mm3 = {0, 0, 40};
  const auto answer = solve_all(p);
  EXPECT_LT(answer.certificate.reaction_imbalance, 1e-7);
  EXPECT_GT(answer.cell_peclet_number, 4);
  EXPECT_GT(answer.limited_share, 0.02);
  const double in = answer.face_inflow_W[0][0] + answer.face_inflow_W[0][1] + answer.face_inflow_W[2][0];
  EXPECT_NEAR(in + answer.source_W, answer.carried_out_W, 1e-6 * std::abs(answer.carried_out_W));
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  auto alone = make_flowing(MPI_COMM_SELF, s);
  alone.source_W_per_mm3 = p.source_W_per_mm3;
  const auto other = solve_all(alone);
  omp_set_num_threads(threads);
  EXPECT_NEAR(answer.mean_K, other.mean_K, 1e-6);
  EXPECT_NEAR(answer.high_K, other.high_K, 1e-5);
  EXPECT_NEAR(answer.out_K, other.out_K, 1e-6);
  EXPECT_NEAR(answer.walls.heat_W, other.walls.heat_W, 1e-6 * std::abs(other.walls.heat_W));
  EXPECT_EQ(answer.certificate.unknowns, other.certificate.unknowns);
}

// Oracle: incoming heat equals outgoing heat. A residual that is small relative to its start is no evidence. The start is
// due to copper, but the heat has to pass through air.
TEST(flow_temperature, is_in_balance_where_good_conductors_hang_on_poor_ones) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  setting s = random_setting(0.5);
  s.conductivity = {0, 2.6e-5, 0.4};
  s.heat_capacity = 1e-6;
  s.conditions = {held(axis::z, false, 380)};
  const auto answer = solve_all(make_flowing(comm, s), {1e-6, 300, nullptr});
  EXPECT_LT(answer.certificate.reaction_imbalance, 2e-6);
}

// Oracle: values computed by hand. Heat enters a slab of fluid at rest and solid at one face and leaves at the other face.
// The temperature decreases linearly in each material. Its mean is zero, because no condition fixes its level.
TEST(flow_temperature, fluxes_that_balance_leave_the_level_free) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  setting s{image({6, 4, 3}, [](index3 p) { return p.y < 2 ? 1 : 2; })};
  s.conductivity = {0, 1, 4};
  const auto flux = [](bool high, double value) {
    return heat_boundary{place(axis::y, high), {thermal::flux, 0, value, 0}};
  };
  s.conditions = {flux(false, 2), flux(true, -2)};
  const auto p = make_still(comm, s);
  const auto answer = solve_all(p);
  const std::array<double, 4> fall{0, 2, 2 + 2 * (0.5 + 0.125), 2 + 2 * (0.5 + 0.125) + 0.5};
  const double mean = (fall[0] + fall[1] + fall[2] + fall[3]) / 4;
  for (std::int64_t y = 0; y < 4; ++y)
    EXPECT_NEAR(temperature_at(p, answer, {3, y, 1}), mean - fall[static_cast<std::size_t>(y)], 1e-6);
  EXPECT_NEAR(answer.mean_K, 0, 1e-9);
}

// Oracle: the text of the messages.
TEST(flow_temperature, rejects_problems_without_solution) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  setting s = random_setting(0.3);
  const auto message_of = [&](const temperature_problem& p) -> std::string {
    try {
      physics::solve_flow_temperature(p, exact, null_log());
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  auto p = make_flowing(comm, s);
  p.incoming_K = {std::nullopt, std::nullopt};
  EXPECT_NE(message_of(p).find("set temperature_K"), std::string::npos);
  p.incoming_K = {320, std::nullopt};
  p.heat_capacity_J_per_mm3K = 0;
  EXPECT_NE(message_of(p).find("must be positive"), std::string::npos);
  s.conditions = {held(axis::z, false, 300), held(axis::z, false, 301)};
  EXPECT_NE(message_of(make_flowing(comm, s)).find("on the same face"), std::string::npos);
  auto still = make_still(comm, random_setting(0.3));
  still.openings.clear();
  still.incoming_K.clear();
  EXPECT_NE(message_of(still).find("no condition prescribes a temperature"), std::string::npos);
  still.source_W_per_mm3 = {0, 1, 0};
  EXPECT_NE(message_of(still).find("cannot release it"), std::string::npos);
}

}  // namespace flow_temperature_test
