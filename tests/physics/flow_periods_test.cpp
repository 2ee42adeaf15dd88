#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <random>

#include "physics/flow_openings.hpp"

namespace flow_periods_test {

using namespace osteon;
using namespace flow_images;
using physics::face_flow;
using physics::flow_boundary;

const physics::through_options exact{1e-9, 3000, true, {}};

physics::through_flow solve_it(const physics::through_problem& problem, const physics::through_options& how = exact) {
  const auto answer = physics::solve_flow_through(problem, how, null_log());
  EXPECT_TRUE(answer.flows.back().certificate.converged);
  return answer.flows.back();
}

std::size_t number(axis a) { return static_cast<std::size_t>(a); }

// Oracle: plates at a distance of g voxels have k = (g^2 + 2) / 12 voxels^2 on this grid. This also holds with inertia,
// because the flow is constant along the plates.
TEST(flow_periods, of_plates_have_their_permeability) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  const vector3 h{0.5, 0.25, 1};
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const std::int64_t width : {1, 5})
      for (const bool inertia : {false, true}) {
        const axis across = along == axis::y ? axis::x : axis::y;
        const axis side = static_cast<axis>(3 - static_cast<int>(along) - static_cast<int>(across));
        if (width == 1 && side == axis::z) continue;  // a rank needs a plane
        const std::int64_t g = 6;
        index3 shape{5, 5, 5};
        shape[static_cast<int>(across)] = g;
        shape[static_cast<int>(side)] = width;
        auto problem = make_through(comm, image(shape, [](index3) { return 1; }), {}, h);
        problem.periodic[number(along)] = problem.periodic[number(side)] = true;
        problem.period_drop_Pa[number(along)] = -3;
        problem.has_inertia = inertia;
        const auto flow = solve_it(problem);
        const int a = static_cast<int>(along), b = static_cast<int>(across), c = static_cast<int>(side);
        const double k = static_cast<double>(g * g + 2) / 12 * h[b] * h[b], length = 5 * h[a];
        const double rate = -3 / length * k * static_cast<double>(g * width) * h[b] * h[c];
        EXPECT_NEAR(flow.period_flow_mm3_per_s[number(along)], rate, 1e-7 * std::abs(rate));
        EXPECT_NEAR(flow.period_flow_mm3_per_s[number(side)], 0, 1e-7 * std::abs(rate));
        EXPECT_NEAR(flow.inflow_mm3_per_s, -rate, 1e-7 * std::abs(rate));
        EXPECT_EQ(flow.pressure_drop_Pa, 3);
        // The inverse problem has the flow rate as input and the drop as result.
        problem.period_rate_mm3_per_s[number(along)] = rate;
        problem.period_drop_Pa = {};
        EXPECT_NEAR(solve_it(problem).period_drop_Pa[number(along)], -3, 1e-6);
      }
}

// Oracle: the permeability of an image that is periodic in all directions, from another solver of these equations.
TEST(flow_periods, in_all_directions_are_those_of_permeability) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  std::mt19937 random(3);
  const image img({6, 7, 8}, [&](index3) { return random() % 4 != 0; });
  const vector3 h{1, 0.8, 1.25};
  for (const axis along : {axis::z, axis::y, axis::x}) {
    const auto permeability = solve_one(comm, img, along, physics::flow_surroundings::periodic, tight, h);
    auto problem = make_through(comm, img, {}, h);
    problem.periodic = {true, true, true};
    problem.period_drop_Pa[number(along)] = 2;
    const int a = static_cast<int>(along);
    const double length = static_cast<double>(img.shape[a]) * h[a];
    const double section = static_cast<double>(img.shape.volume()) * h.z * h.y * h.x / length;
    const double rate = permeability.permeability_mm2 * 2 / length * section;
    const auto flow = solve_it(problem);
    EXPECT_NEAR(flow.period_flow_mm3_per_s[number(along)], rate, 1e-6 * rate);
    // By the balance of momentum, the drop acts on the fluid at the interface of two periods. All of the fluid counts,
    // because all pores lead through the image.
    std::int64_t open = 0;
    for (std::int64_t z = 0; z < 6; ++z)
      for (std::int64_t y = 0; y < 7; ++y)
        for (std::int64_t x = 0; x < 8; ++x) {
          index3 p{z, y, x};
          if (p[a] != 0 || img.at(p) == 0) continue;
          p[a] = img.shape[a] - 1;
          open += img.at(p) != 0;
        }
    const double balance = 2e-6 * static_cast<double>(open) * h.z * h.y * h.x / h[a];
    EXPECT_NEAR(flow.force_on_solid_N[a], balance, 1e-5 * balance);
  }
}

// Oracle: the same image shifted along the period, on one rank and on all ranks.
TEST(flow_periods, do_not_know_where_they_begin) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  // A channel along y between walls in z, with blocks. The x axis is also periodic.
  const auto channel = [](std::int64_t shift) {
    return image({8, 8, 6}, [=](index3 p) {
      const std::int64_t y = (p.y + shift) % 8, x = (p.x + shift) % 6;
      return !(p.z < 3 && y >= 2 && y < 4 && x < 4);
    });
  };
  std::vector<double> rates;
  for (const std::int64_t shift : {0, 3, 5}) {
    auto problem = make_through(shift == 3 ? MPI_COMM_SELF : MPI_Comm(comm), channel(shift), {});
    problem.periodic = {false, true, true};
    problem.period_drop_Pa = {0, 20, 0};
    problem.has_inertia = true;
    problem.density_kg_per_m3 = 2e5;
    const auto flow = solve_it(problem, {1e-7, 2000, true, {}});
    rates.push_back(flow.period_flow_mm3_per_s[1]);
    EXPECT_GT(flow.reynolds_number, 1);
    // The drop is the unknown.
    problem.period_drop_Pa = {};
    problem.period_rate_mm3_per_s[1] = rates[0];
    problem.multiples = {0.5, 1};
    EXPECT_NEAR(solve_it(problem, {1e-7, 4000, true, {}}).period_drop_Pa[1], 20, 1e-4);
  }
  EXPECT_NEAR(rates[1], rates[0], 1e-5 * rates[0]);
  EXPECT_NEAR(rates[2], rates[0], 1e-5 * rates[0]);
}

// Openings along one axis and a period across are equivalent to openings and planes of symmetry, if the flow is constant in
// the periodic direction.
TEST(flow_periods, go_with_openings) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img({6, 6, 3}, [](index3 p) { return !(p.z == 2 && p.y < 3); });
  std::vector<flow_boundary> openings{on(axis::z, false, face_flow::velocity, 2, true),
                                      on(axis::z, true, face_flow::outlet)};
  auto periodic = make_through(comm, img, openings);
  periodic.periodic[2] = true;
  openings.insert(openings.end(), {on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)});
  auto slips = make_through(comm, img, openings);
  periodic.has_inertia = slips.has_inertia = true;
  const auto one = solve_it(periodic), other = solve_it(slips);
  EXPECT_NEAR(one.pressure_drop_Pa, other.pressure_drop_Pa, 1e-6 * other.pressure_drop_Pa);
  EXPECT_NEAR(one.force_on_solid_N.z, other.force_on_solid_N.z, 1e-6 * other.force_on_solid_N.z);
  EXPECT_NEAR(one.mean_wall_shear_Pa, other.mean_wall_shear_Pa, 1e-5 * other.mean_wall_shear_Pa);
  EXPECT_NEAR(one.period_flow_mm3_per_s[2], 0, 1e-6);
}

// Oracle: a drop accelerates a fluid between plates from rest. At the end, the flow rate is the steady rate.
TEST(flow_periods, accelerate_a_fluid_in_time) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  auto problem = make_through(comm, image({4, 6, 2}, [](index3) { return 1; }), {});
  problem.periodic = {true, false, true};
  problem.period_drop_Pa[0] = 4;
  physics::flow_time_plan plan;
  plan.end_s = 40;
  plan.step_s = 0.5;
  const auto found = physics::solve_transient_flow(problem, plan, {1e-7, 500, false, {}}, nullptr, {}, null_log());
  const double steady = (36. + 2) / 12 * 12;  // the gradient is 1, and the section is 12
  EXPECT_NEAR(found.history.back().flow.period_flow_mm3_per_s[0], steady, 1e-4 * steady);
  // Initially there is no friction, so that velocity = gradient / density * time. 1e6 kg/m3 are 1 Pa s2 / mm2.
  EXPECT_LT(found.history[1].flow.period_flow_mm3_per_s[0], 0.5 * 12);
  EXPECT_GT(found.history[1].flow.period_flow_mm3_per_s[0], 0.5 * 12 * 0.6);
}

template <class Error>
std::string fault_of(const physics::through_problem& problem) {
  try {
    physics::check_flow_through(problem, exact);
  } catch (const Error& e) {
    return e.what();
  }
  return "no fault";
}

TEST(flow_periods, reject_contradictions) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const auto holds = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const image box({4, 4, 4}, [](index3) { return 1; });
  auto problem = make_through(comm, box, {});
  problem.periodic[1] = true;
  holds(fault_of<data_error>(problem), "no driving force");
  problem.period_drop_Pa[0] = 1;
  holds(fault_of<usage_error>(problem), "requires a periodic image");
  problem.period_drop_Pa = {0, 1, 0};
  problem.period_rate_mm3_per_s[1] = 1;
  holds(fault_of<usage_error>(problem), "give one of the two");
  problem = make_through(comm, box, {on(axis::y, true, face_flow::slip)});
  problem.periodic[1] = true;
  problem.period_drop_Pa[1] = 1;
  holds(fault_of<usage_error>(problem), "periodic axis");
  problem = make_through(comm, image({4, 4, 4}, [](index3 p) { return p.y != 2; }), {});
  problem.periodic[1] = true;
  problem.period_drop_Pa[1] = 1;
  holds(fault_of<data_error>(problem), "connects one period to the next");
}

}  // namespace flow_periods_test
