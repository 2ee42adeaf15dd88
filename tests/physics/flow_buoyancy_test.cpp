#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transport/buoyant_flow.hpp>
#include <osteon/physics/flow/solver/transport/stability.hpp>
#include <random>

#include "physics/flow_openings.hpp"

namespace flow_buoyancy_test {

using namespace osteon;
using namespace flow_images;
using numerics::thermal;
using physics::buoyant_problem;
using physics::heat_boundary;

heat_boundary heated(axis across, bool high, double temperature_K) {
  return {on(across, high, face_flow::wall), {thermal::temperature, temperature_K, 0, 0}};
}

// Material 1 is fluid, and material 2 is solid. The fluid has unit viscosity, conductivity and capacity in the units mm, s,
// Pa s, W and K.
buoyant_problem make_buoyant(MPI_Comm comm, const image& img, std::vector<flow_boundary> openings,
                             std::vector<std::optional<double>> incoming, std::vector<heat_boundary> conditions,
                             double solid_conductivity = 1) {
  buoyant_problem p;
  const image all(img.shape, [](index3) { return 1; });
  const auto box = make_through(comm, all, {});
  auto& heat = p.heat;
  heat.where = box.where;
  heat.spacing_mm = {1, 1, 1};
  heat.cells = box.cells;
  const std::int64_t plane = img.shape.y * img.shape.x;
  const material_number* const first = img.voxels.data() + heat.where.owned.begin.z * plane;
  for (const voxel::run& r : heat.cells.runs())
    for (std::int32_t n = 0; n < r.length; ++n)
      heat.material.push_back(first[(r.z * heat.where.owned.shape().y + r.y) * heat.where.owned.shape().x + r.x + n]);
  heat.materials = {{"empty", 0, 0, 0}, {"fluid", 0, 0, 1000}, {"solid", 0, 0, 1000 * solid_conductivity}};
  const std::array<material_number, 1> fluid{1};
  heat.fluid = physics::fluid_cells(heat.cells, heat.material, fluid);
  heat.heat_capacity_J_per_mm3K = 1;
  heat.openings = openings;
  heat.incoming_K = std::move(incoming);
  heat.conditions = std::move(conditions);
  p.flow = make_through(comm, all, std::move(openings));
  p.flow.cells = heat.fluid;
  p.flow.is_buoyant = true;
  return p;
}

physics::buoyant_solution solve_all(const buoyant_problem& p, double tolerance = 1e-6) {
  physics::through_options how{tolerance, 2000, true, {}};
  how.faces = true;
  auto answer = physics::solve_buoyant_flow(p, how, {std::min(tolerance, 1e-6), 500, nullptr}, null_log());
  EXPECT_TRUE(answer.flow.flows[0].certificate.converged);
  EXPECT_TRUE(answer.heat.certificate.converged);
  return answer;
}

// A box of n x n voxels with a thickness of one voxel. The axes are the axis upwards, the axis from the hot to the cold
// side, and the axis of the thickness.
buoyant_problem make_square(MPI_Comm comm, int n, double rayleigh, axis up, axis across, double prandtl = 0.71) {
  index3 shape{1, 1, 1};
  shape[static_cast<int>(up)] = shape[static_cast<int>(across)] = n;
  const auto thick = static_cast<axis>(3 - static_cast<int>(up) - static_cast<int>(across));
  auto p = make_buoyant(comm, image(shape, [](index3) { return 1; }),
                        {on(thick, false, face_flow::slip), on(thick, true, face_flow::slip)}, {{}, {}},
                        {heated(across, false, 301), heated(across, true, 300)});
  // The diffusivity is 1 mm2/s, so that the kinematic viscosity in mm2/s is the Prandtl number.
  p.flow.viscosity_Pa_s = prandtl;
  p.flow.has_inertia = true;
  p.expansion_per_K = 1e-3;
  constexpr double m_per_mm = 1e-3;
  p.gravity_m_per_s2[static_cast<int>(up)] = -m_per_mm * rayleigh * prandtl / (1e-3 * std::pow(n, 3));
  return p;
}

double nusselt_of(const physics::buoyant_solution& s, axis across) {
  const auto a = static_cast<std::size_t>(across);
  const double low = s.heat.face_inflow_W[a][0] / (*s.rest_inflow_W)[a][0];
  EXPECT_NEAR(s.heat.face_inflow_W[a][1] / (*s.rest_inflow_W)[a][1], low, 1e-5 * low);
  return low;
}

// Oracle: the flow driven by the pressure difference due to the weight of the column. In random pores, both flows have equal
// equations voxel by voxel.
TEST(flow_buoyancy, a_warm_column_is_a_drop_of_pressure) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  std::mt19937 random(5);
  const image img({7, 8, 9}, [&](index3) { return random() % 4 == 0 ? 2 : 1; });
  for (const axis along : {axis::z, axis::y, axis::x}) {
    const int a = static_cast<int>(along);
    const std::vector<flow_boundary> ends{on(along, false, face_flow::pressure), on(along, true, face_flow::pressure)};
    auto p = make_buoyant(comm, img, ends, {310, 310}, {});
    p.expansion_per_K = 0.01;
    p.gravity_m_per_s2[a] = -10;
    p.reference_K = 305;
    p.flow.density_kg_per_m3 = 100;
    const auto warm = solve_all(p, 1e-8);
    auto q = p.flow;
    q.is_buoyant = false;
    constexpr double m_per_mm = 1e-3;
    q.boundaries[0].value = 100 * 0.01 * 5 * 10 * m_per_mm * static_cast<double>(img.shape[a]);
    const auto pressed = physics::solve_flow_through(q, {1e-8, 2000, false, {}}, null_log());
    ASSERT_GT(pressed.flows[0].inflow_mm3_per_s, 0);
    EXPECT_NEAR(warm.flow.flows[0].boundaries[0].inflow_mm3_per_s, pressed.flows[0].inflow_mm3_per_s,
                1e-6 * pressed.flows[0].inflow_mm3_per_s);
    EXPECT_NEAR(warm.heat.low_K, 310, 1e-6);
  }
}

// Oracle: de Vahl Davis 1983, within the accuracy of 20 voxels. The result is equal for any direction of gravity, and for a
// fluid of negative expansion with reversed gravity.
TEST(flow_buoyancy, heated_squares_have_published_nusselt_numbers) {
  const ranks_with_a_plane comm(20);
  if (comm == MPI_COMM_NULL) return;
  const double slow = nusselt_of(solve_all(make_square(comm, 20, 1e3, axis::z, axis::y)), axis::y);
  EXPECT_NEAR(slow, 1.118, 0.005 * 1.118);
  auto p = make_square(comm, 20, 1e4, axis::z, axis::y);
  const double fast = nusselt_of(solve_all(p), axis::y);
  EXPECT_NEAR(fast, 2.243, 0.03 * 2.243);
  p.expansion_per_K *= -1;
  p.gravity_m_per_s2.z *= -1;
  p.reference_K = 273;  // changes only the pressure
  EXPECT_NEAR(nusselt_of(solve_all(p), axis::y), fast, 1e-4 * fast);
  const auto turned = solve_all(make_square(comm, 20, 1e4, axis::y, axis::z));
  EXPECT_NEAR(nusselt_of(turned, axis::z), fast, 1e-4 * fast);
  EXPECT_NEAR(turned.rayleigh_number, 1e4, 1e-9 * 1e4);  // the number is based on the prescribed temperatures
  EXPECT_EQ(turned.unstable_states, 0);
  EXPECT_NEAR(turned.prandtl_number, 0.71, 1e-12);
  EXPECT_LT(turned.momentum_residual, 1e-4);
  EXPECT_LT(turned.heat.certificate.reaction_imbalance, 1e-5);
}

// Oracle: the eigenvalues of a diagonal map. Each rank has a part of the values of the map.
TEST(flow_buoyancy, the_leading_multiplier_is_the_largest_eigenvalue) {
  const ranks_with_a_plane comm(3);
  if (comm == MPI_COMM_NULL) return;
  const std::array<double, 6> eigenvalue{0.3, -0.7, 1.05, 0.97, 0.9, 0.1};
  std::vector<std::vector<float>> vectors;
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < 6; ++i)
    if (static_cast<int>(i) % comm::size(comm) == comm::rank(comm)) own.push_back(i);
  for (int n = 0; n < 12; ++n) {
    auto& v = vectors.emplace_back();
    for (const std::size_t i : own) v.push_back(static_cast<float>(std::pow(eigenvalue[i], n)));
  }
  EXPECT_NEAR(physics::leading_multiplier(comm, {}, vectors), 1.05, 2e-3);
}

// Oracle: a square heated from below with insulated sides is at rest below the Rayleigh number 2585 [Luijkx1981], and
// convects above this number. The Nusselt numbers are from [Ouertatani2008], within the accuracy of 20 voxels.
TEST(flow_buoyancy, a_square_heated_from_below_is_in_its_stable_state) {
  const ranks_with_a_plane comm(20);
  if (comm == MPI_COMM_NULL) return;
  const auto heated_below = [&](double rayleigh) {
    auto p = make_square(comm, 20, rayleigh, axis::z, axis::y);
    p.heat.conditions = {heated(axis::z, false, 301), heated(axis::z, true, 300)};
    return solve_all(p, 1e-5);
  };
  const auto still = heated_below(2400);
  EXPECT_NEAR(nusselt_of(still, axis::z), 1, 1e-4);
  ASSERT_TRUE(still.growth_per_s.has_value());
  EXPECT_LT(*still.growth_per_s, 0);
  EXPECT_EQ(still.unstable_states, 0);
  const auto moves = heated_below(2900);
  EXPECT_GT(nusselt_of(moves, axis::z), 1.05);
  EXPECT_EQ(moves.unstable_states, 1);
  ASSERT_TRUE(moves.growth_per_s.has_value());
  EXPECT_LT(*moves.growth_per_s, 0);
  EXPECT_NEAR(nusselt_of(heated_below(1e4), axis::z), 2.158, 0.03 * 2.158);
}

// Oracle: the text of the messages. An unreachable tolerance is not an error.
TEST(flow_buoyancy, rejects_weightless_fluids_and_reports_transient_flows) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const auto message_of = [](const buoyant_problem& p) -> std::string {
    try {
      physics::check_buoyant_flow(p, {});
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  };
  auto p = make_square(comm, 8, 1e4, axis::z, axis::y);
  EXPECT_EQ(message_of(p), "");
  p.expansion_per_K = 0;
  EXPECT_NE(message_of(p).find("expansion 0"), std::string::npos);
  p = make_square(comm, 8, 1e4, axis::z, axis::y);
  p.gravity_m_per_s2 = {};
  EXPECT_NE(message_of(p).find("must be finite and not 0"), std::string::npos);
  p = make_square(comm, 8, 1e4, axis::z, axis::y);
  const auto answer = physics::solve_buoyant_flow(p, {1e-4, 2, false, {}}, {1e-6, 300, nullptr}, null_log());
  EXPECT_FALSE(answer.flow.flows[0].certificate.converged);
}

}  // namespace flow_buoyancy_test
