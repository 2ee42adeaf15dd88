#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/openings/flow_through.hpp>
#include <random>
#include <string>

#include "physics/flow_openings.hpp"

namespace flow_through_test {

using namespace osteon;
using namespace flow_images;
using physics::face_flow;
using physics::flow_boundary;

const physics::through_options exact{1e-8, 2000, true, {}};

physics::through_solution solve_all(const physics::through_problem& problem, const physics::through_options& how = exact) {
  auto answer = physics::solve_flow_through(problem, how, null_log());
  for (const auto& flow : answer.flows) EXPECT_TRUE(flow.certificate.converged) << flow.multiple;
  return answer;
}

image random_pores(index3 shape, unsigned seed, double porosity) {
  std::mt19937 random(seed);
  return {shape, [&](index3) { return static_cast<double>(random()) < porosity * 4294967296.0; }};
}

// Oracle: plates at a distance of g voxels have k = (g^2 + 2) / 12 on this grid. A flow that is developed at the inlet is
// unchanged, also with inertia.
TEST(flow_through, between_plates_has_the_profile_and_the_drop_of_the_grid) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  const vector3 h{0.5, 0.25, 1};
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const bool backwards : {false, true})
      for (const std::string how : {"creeping", "blended", "limited"}) {
        if (how == "limited" && along != axis::z) continue;
        const axis across = along == axis::y ? axis::x : axis::y;
        const axis side = static_cast<axis>(3 - static_cast<int>(along) - static_cast<int>(across));
        index3 shape{5, 5, 5};
        const std::int64_t g = 6;
        shape[static_cast<int>(across)] = g;
        auto problem =
            make_through(comm, image(shape, [](index3) { return 1; }),
                         {on(along, backwards, face_flow::velocity, 2, true), on(along, !backwards, face_flow::outlet, 3),
                          on(side, false, face_flow::slip), on(side, true, face_flow::slip)},
                         h);
        problem.has_inertia = how != "creeping";
        problem.is_limited = how == "limited";
        const auto answer = solve_all(problem);
        const auto& flow = answer.flows[0];
        const double length = static_cast<double>(shape[static_cast<int>(along)]) * h[static_cast<int>(along)];
        const double k = static_cast<double>(g * g + 2) / 12 * h[static_cast<int>(across)] * h[static_cast<int>(across)];
        EXPECT_NEAR(flow.pressure_drop_Pa, 2 * length / k, 1e-6 * 2 * length / k);
        EXPECT_NEAR(flow.boundaries[0].mean_pressure_Pa, 3 + 2 * length / k, 1e-6 * 2 * length / k);
        EXPECT_NEAR(flow.boundaries[0].inflow_mm3_per_s, 2 * flow.boundaries[0].area_mm2, 1e-9);
        EXPECT_LT(std::abs(flow.imbalance), 1e-7);
        // The grid represents this parabola with mean 2 exactly.
        const auto runs = problem.cells.runs();
        for (const auto& r : runs)
          for (std::int32_t n = 0; n < r.length; ++n) {
            const index3 p = problem.where.owned.begin + index3{r.z, r.y, r.x + n};
            const double y = static_cast<double>(p[static_cast<int>(across)]) + 0.5;
            const double u = 12. / static_cast<double>(g * g + 2) * (y * (static_cast<double>(g) - y) / 2 + 0.125);
            const auto* v = answer.velocity_mm_per_s.data() + 3 * (r.first + n);
            EXPECT_NEAR(v[static_cast<int>(along)], (backwards ? -2 : 2) * u, 1e-5);
            EXPECT_NEAR(v[static_cast<int>(across)], 0, 1e-5);
          }
      }
}

// Oracle: the series of the square duct, k = 0.0351443 a^2. On 20 voxels, the value is larger by 0.96 %, as for the
// permeability.
TEST(flow_through, a_duct_by_its_flow_rate) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const image duct({4, 20, 20}, [](index3) { return 1; });
  const auto answer = solve_all(make_through(
      comm, duct, {on(axis::z, false, face_flow::flow_rate, 400, true), on(axis::z, true, face_flow::pressure, 0)}));
  const double k = 4 / answer.flows[0].pressure_drop_Pa;
  EXPECT_NEAR(k / 400, 0.0351443, 0.0097 * 0.0351443);
  EXPECT_GT(k / 400, 0.0351443);
  EXPECT_NEAR(answer.flows[0].boundaries[1].inflow_mm3_per_s, -400, 1e-4);
}

// Oracle: the permeability between closed sides, from another solver of these equations.
TEST(flow_through, between_two_pressures_is_that_of_permeability) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_pores({6, 7, 8}, 3, 0.75);
  const vector3 h{1, 0.8, 1.25};
  for (const axis along : {axis::z, axis::y, axis::x}) {
    const auto permeability = solve_one(comm, img, along, physics::flow_surroundings::closed, tight, h);
    const auto answer = solve_all(
        make_through(comm, img, {on(along, false, face_flow::pressure, 5), on(along, true, face_flow::pressure, 3)}, h));
    const int a = static_cast<int>(along);
    const double length = static_cast<double>(img.shape[a]) * h[a];
    const double section = static_cast<double>(img.shape.volume()) * h.z * h.y * h.x / length;
    const double rate = permeability.permeability_mm2 * 2 / length * section;
    EXPECT_NEAR(answer.flows[0].inflow_mm3_per_s, rate, 1e-6 * rate);
    EXPECT_LT(std::abs(answer.flows[0].imbalance), 1e-6);
    const auto mirrored = solve_all(
        make_through(comm, img, {on(along, false, face_flow::pressure, 3), on(along, true, face_flow::pressure, 5)}, h));
    EXPECT_NEAR(mirrored.flows[0].inflow_mm3_per_s, rate, 1e-6 * rate);
    EXPECT_NEAR(mirrored.flows[0].boundaries[1].inflow_mm3_per_s, rate, 1e-6 * rate);
  }
}

// Oracle: without the contribution of inertia, both drops are equal. With this contribution, the drop grows as density *
// velocity^2.
TEST(flow_through, with_inertia_tends_to_creeping_flow) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img({12, 8, 8}, [](index3 p) { return !(p.z >= 5 && p.z < 7 && (p.y < 4 || p.x < 3)); });
  auto problem = make_through(comm, img, {on(axis::z, false, face_flow::velocity, 1), on(axis::z, true, face_flow::outlet)});
  const auto creeping = solve_all(problem);
  problem.has_inertia = true;
  problem.density_kg_per_m3 = 1e6 * 1e-6;
  const auto slow = solve_all(problem);
  EXPECT_NEAR(slow.flows[0].pressure_drop_Pa, creeping.flows[0].pressure_drop_Pa, 2e-6 * creeping.flows[0].pressure_drop_Pa);
  problem.density_kg_per_m3 = 1e6;
  problem.multiples = {0.5, 1, 2, 4};
  const auto fast = solve_all(problem);
  double last = creeping.flows[0].pressure_drop_Pa;
  for (const auto& flow : fast.flows) {
    EXPECT_LT(std::abs(flow.imbalance), 1e-6);
    const double resistance = flow.pressure_drop_Pa / flow.multiple;
    EXPECT_GT(resistance, last);
    last = resistance;
  }
  EXPECT_GT(last, 1.05 * creeping.flows[0].pressure_drop_Pa);
}

// Table of Ghia, Ghia and Shin 1982 for u on the vertical line through the centre.
constexpr std::array<double, 15> height{.9766, .9688, .9609, .9531, .8516, .7344, .6172, .5,
                                        .4531, .2813, .1719, .1016, .0703, .0625, .0547};
constexpr std::array<double, 15> re_100{.84123,  .78871,  .73722,  .68717,  .23151,  .00332,  -.13641, -.20581,
                                        -.21090, -.15662, -.10150, -.06434, -.04775, -.04192, -.03717};
constexpr std::array<double, 15> re_400{.75837,  .68439,  .61756,  .55892,  .29093,  .16256,  .02135, -.11477,
                                        -.17119, -.32726, -.24299, -.14612, -.10338, -.09266, -.08186};
constexpr std::array<double, 15> re_1000{.65928,  .57492,  .51117,  .46604,  .33304,  .18719,  .05702, -.06080,
                                         -.10648, -.27805, -.38289, -.29730, -.22220, -.20196, -.18109};

// Largest distance of the solution from the table.
double cavity_error(MPI_Comm comm, std::int64_t n, double reynolds, const std::array<double, 15>& table,
                    bool is_central = false, bool is_limited = false) {
  // The z axis is upwards, y is along the lid, and x is the thickness.
  flow_boundary lid = on(axis::z, true, face_flow::wall);
  lid.slide_mm_per_s.y = reynolds / static_cast<double>(n);
  auto problem = make_through(comm, image({n, n, 1}, [](index3) { return 1; }),
                              {lid, on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)});
  problem.has_inertia = true;
  problem.is_central = is_central;
  problem.is_limited = is_limited;
  const auto answer = solve_all(problem, {1e-5, 1500, true, {}});
  EXPECT_TRUE(answer.pressure_is_free);
  std::vector<double> u(static_cast<std::size_t>(n), 0.0);
  for (const auto& r : problem.cells.runs()) {
    const index3 p = problem.where.owned.begin + index3{r.z, r.y, r.x};
    if (p.y == n / 2 || p.y == n / 2 - 1)
      u[static_cast<std::size_t>(p.z)] +=
          static_cast<double>(answer.velocity_mm_per_s[static_cast<std::size_t>(3 * r.first + 1)]) / 2 /
          lid.slide_mm_per_s.y;
  }
  MPI_Allreduce(MPI_IN_PLACE, u.data(), static_cast<int>(n), MPI_DOUBLE, MPI_SUM, comm);
  double worst = 0;
  for (std::size_t k = 0; k < table.size(); ++k) {
    const double place = height[k] * static_cast<double>(n) - 0.5;
    const auto below = static_cast<std::int64_t>(std::floor(place));
    const auto value = [&](std::int64_t i) {
      return i < 0 ? -u[0] : i >= n ? 2 - u[static_cast<std::size_t>(n - 1)] : u[static_cast<std::size_t>(i)];
    };
    const double part = place - static_cast<double>(below);
    worst = std::max(worst, std::abs((1 - part) * value(below) + part * value(below + 1) - table[k]));
  }
  return worst;
}

TEST(flow_through, the_lid_driven_cavity_comes_nearer_to_ghia_with_the_grid) {
  const ranks_with_a_plane comm(16);
  if (comm == MPI_COMM_NULL) return;
  const double coarse = cavity_error(comm, 16, 100, re_100), fine = cavity_error(comm, 32, 100, re_100);
  EXPECT_LT(coarse, 0.03);
  EXPECT_LT(fine, 0.004);
  // Several ranks per core are slow.
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  if (ranks == 1) {
    // the Reynolds number of a voxel is 12, so that upwinding is inaccurate
    EXPECT_LT(cavity_error(comm, 32, 400, re_400), 0.08);
    EXPECT_LT(cavity_error(comm, 64, 400, re_400), 0.013);
    EXPECT_LT(cavity_error(comm, 64, 1000, re_1000, true), 0.02);
  }
}

// Oracle: the table of Ghia, and the hybrid scheme on these voxels. The solution with the limiter satisfies its own
// equations.
TEST(flow_through, a_limiter_brings_the_cavity_nearer_to_ghia) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) return;  // several ranks per core are slow
  constexpr double nearer = 0.6;
  EXPECT_LT(cavity_error(MPI_COMM_WORLD, 32, 400, re_400, false, true),
            nearer * cavity_error(MPI_COMM_WORLD, 32, 400, re_400));
  EXPECT_LT(cavity_error(MPI_COMM_WORLD, 32, 1000, re_1000, false, true),
            nearer * cavity_error(MPI_COMM_WORLD, 32, 1000, re_1000));
}

// Oracle: one rank. The channel contains a block, and cycles and limiter extend across ranks.
TEST(flow_through, ranks_have_the_iterations_and_the_answer_of_one) {
  const ranks_with_a_plane comm(24);
  if (comm == MPI_COMM_NULL) return;
  const image img({24, 10, 10},
                  [](index3 p) { return !(p.z >= 7 && p.z < 10 && p.y >= 3 && p.y < 7 && p.x >= 3 && p.x < 7); });
  for (const bool is_limited : {false, true}) {
    const auto flow_on = [&](MPI_Comm on_these) {
      auto problem = make_through(on_these, img,
                                  {on(axis::z, false, face_flow::velocity, 6, true), on(axis::z, true, face_flow::outlet)});
      problem.has_inertia = true;
      problem.is_limited = is_limited;
      problem.density_kg_per_m3 = 1e6;
      return solve_all(problem, {1e-6, 2000, true, {}}).flows[0];
    };
    const auto one = flow_on(MPI_COMM_SELF), all = flow_on(comm);
    EXPECT_GT(one.upwinded_share, 0.02);
    EXPECT_EQ(one.limiter_residual > 0, is_limited);
    EXPECT_LT(one.limiter_residual, 1e-5);
    EXPECT_LE(all.certificate.iterations, 1.15 * one.certificate.iterations);
    EXPECT_NEAR(all.pressure_drop_Pa, one.pressure_drop_Pa, 2e-5 * one.pressure_drop_Pa);
    EXPECT_NEAR(all.force_on_solid_N.z, one.force_on_solid_N.z, 2e-5 * one.force_on_solid_N.z);
    EXPECT_GT(one.certificate.work.bytes, 0);
    EXPECT_NEAR(all.certificate.work.bytes / all.certificate.iterations,
                one.certificate.work.bytes / one.certificate.iterations,
                0.35 * one.certificate.work.bytes / one.certificate.iterations);
  }
}

// Oracle: the balance of momentum. The pressure between the ends equals the friction on plates made of voxels.
TEST(flow_through, pushes_the_solid_by_the_drop_of_pressure) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  for (const bool inertia : {false, true}) {
    // A step in a channel between slip sides. The outer faces across y are behind solid voxels.
    const image img({40, 9, 3}, [](index3 p) { return p.y > 0 && p.y < 8 && !(p.z >= 14 && p.z < 17 && p.y < 4); });
    auto problem = make_through(comm, img,
                                {on(axis::z, false, face_flow::velocity, 3, true), on(axis::z, true, face_flow::outlet),
                                 on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)});
    problem.has_inertia = inertia;
    problem.density_kg_per_m3 = 5e5;
    const auto flow = solve_all(problem).flows[0];
    // The ends have 7 x 3 mm2, and the flow is developed at the inlet. Momentum and friction at the outlet differ by the
    // part of the flow that is not yet developed.
    const double ends = 1e-6 * flow.pressure_drop_Pa * 21;
    EXPECT_NEAR(flow.force_on_solid_N.z, ends, (inertia ? 0.01 : 2e-3) * ends);
    EXPECT_NEAR(flow.force_on_solid_N.x, 0, 1e-6 * ends);
  }
}

// Oracle: the same flow on a mirrored and rotated image.
TEST(flow_through, does_not_know_its_axes) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_pores({7, 7, 7}, 8, 0.85);
  const auto flow_along = [&](axis along, bool backwards) {
    // along, across and side of the first flow
    const image turned({7, 7, 7}, [&](index3 p) {
      const int a = static_cast<int>(along);
      const std::int64_t first = backwards ? 6 - p[a] : p[a];
      return img.at({first, p[(a + 1) % 3], p[(a + 2) % 3]});
    });
    auto problem =
        make_through(comm, turned,
                     {on(along, backwards, face_flow::flow_rate, 40), on(along, !backwards, face_flow::pressure, 2),
                      on(static_cast<axis>((static_cast<int>(along) + 1) % 3), true, face_flow::slip)});
    problem.has_inertia = true;
    auto flow = solve_all(problem).flows[0];
    return std::array{flow.pressure_drop_Pa, flow.mean_speed_mm_per_s,
                      (backwards ? -1 : 1) * flow.force_on_solid_N[static_cast<int>(along)]};
  };
  const auto one = flow_along(axis::z, false);
  EXPECT_GT(one[0], 0);
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const bool backwards : {false, true}) {
      const auto other = flow_along(along, backwards);
      for (std::size_t n = 0; n < one.size(); ++n) EXPECT_NEAR(other[n], one[n], 1e-5 * std::abs(one[n])) << n;
    }
}

TEST(flow_through, the_number_of_threads_does_not_matter) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_pores({6, 7, 9}, 5, 0.8);
  auto problem = make_through(comm, img, {on(axis::x, false, face_flow::velocity, 3), on(axis::x, true, face_flow::outlet)});
  problem.has_inertia = true;
  for (const bool is_limited : {false, true}) {
    problem.is_limited = is_limited;
    const auto one = solve_all(problem);
    omp_set_num_threads(2);
    const auto two = solve_all(problem);
    omp_set_num_threads(1);
    EXPECT_EQ(one.velocity_mm_per_s, two.velocity_mm_per_s);
    EXPECT_EQ(one.flows[0].pressure_drop_Pa, two.flows[0].pressure_drop_Pa);
  }
}

// The openings are parts of a face. A disc of velocity is in a wall, and the remaining part of the face has slip. The inflow
// equals the outflow.
TEST(flow_through, openings_may_be_parts_of_faces) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  auto inlet = on(axis::y, false, face_flow::velocity, 1);
  inlet.centre_mm = {2.5, 0, 4};
  inlet.radius_mm = 1.6;
  auto outlet = on(axis::y, false, face_flow::outlet);
  outlet.low_mm = {0, 0, 7};
  const auto answer = solve_all(
      make_through(comm, image({5, 4, 10}, [](index3) { return 1; }), {inlet, outlet, on(axis::y, false, face_flow::slip)}));
  const auto& b = answer.flows[0].boundaries;
  EXPECT_EQ(b[0].faces, 8);  // centres within 1.6 mm of (2.5, 4): four across, and two above and below
  EXPECT_EQ(b[1].faces, 15);
  EXPECT_EQ(b[2].faces, 50 - 8 - 15);
  EXPECT_NEAR(b[0].inflow_mm3_per_s, 8, 1e-6);
  EXPECT_NEAR(b[1].inflow_mm3_per_s, -8, 1e-5);
  EXPECT_EQ(b[2].inflow_mm3_per_s, 0);
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

TEST(flow_through, rejects_contradictions) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const image box({4, 4, 4}, [](index3) { return 1; });
  const auto in = on(axis::z, false, face_flow::velocity, 1), out = on(axis::z, true, face_flow::outlet);
  const auto holds = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  holds(fault_of<usage_error>(make_through(comm, box, {in})), "connects it to another opening");
  holds(fault_of<usage_error>(make_through(comm, box, {in, on(axis::y, false, face_flow::velocity, -2)})),
        "inflow exceeds the outflow");
  holds(fault_of<usage_error>(make_through(comm, box, {in, on(axis::z, false, face_flow::pressure, 1), out})), "same face");
  holds(fault_of<data_error>(make_through(comm, box, {out})), "connects two openings");
  holds(fault_of<data_error>(make_through(comm, box, {on(axis::x, true, face_flow::slip)})), "no driving force");
  auto thin = make_through(comm, box, {in, out});
  thin.viscosity_Pa_s = 0;
  holds(fault_of<usage_error>(thin), "viscosity: 0");
  thin.viscosity_Pa_s = 1;
  thin.density_kg_per_m3 = -1;
  holds(fault_of<usage_error>(thin), "density: -1");
  const image wall({4, 4, 4}, [](index3 p) { return p.z != 2; });
  holds(fault_of<usage_error>(make_through(comm, wall, {in, out})), "no path of fluid connects");
  holds(fault_of<data_error>(make_through(comm, wall, {on(axis::z, false, face_flow::pressure, 1), out})),
        "connects two openings");
  const image shut({4, 4, 4}, [](index3 p) { return p.z != 0; });
  holds(fault_of<data_error>(make_through(comm, shut, {in, out})), "contains no fluid");
  auto left = in, right = in;
  left.high_mm.x = 3;
  right.low_mm.x = 2;
  holds(fault_of<usage_error>(make_through(comm, box, {left, right, out})), "overlap on a voxel face");
  auto lid = on(axis::x, true, face_flow::wall);
  lid.slide_mm_per_s = {0, 1, 1};
  holds(fault_of<usage_error>(make_through(comm, box, {lid})), "normal to the face");
}

// Oracle: values computed by hand. If velocities balance within the tolerance, the opening with the highest flow rate
// receives the rest. The inflow then equals the outflow. Velocities beyond the tolerance are rejected.
TEST(flow_through, velocities_balance_within_the_tolerance) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const image box({4, 4, 4}, [](index3) { return 1; });
  const auto with = [&](double out) {
    return make_through(comm, box,
                        {on(axis::z, false, face_flow::velocity, 1), on(axis::z, true, face_flow::velocity, out),
                         on(axis::y, false, face_flow::velocity, 0.25)});
  };
  const auto answer = solve_all(with(-1.25 * (1 + 1e-7)), {1e-6, 2000, true, {}});
  EXPECT_NEAR(answer.flows[0].boundaries[0].inflow_mm3_per_s, 16, 1e-12);
  EXPECT_NEAR(answer.flows[0].boundaries[1].inflow_mm3_per_s, -20, 1e-12);
  EXPECT_NEAR(answer.flows[0].boundaries[2].inflow_mm3_per_s, 4, 1e-12);
  EXPECT_THROW(physics::solve_flow_through(with(-1.25 * (1 + 1e-5)), {1e-6, 2000, true, {}}, null_log()), usage_error);
}

// The given number of iterations is too small for the steady flow. The report states this with the history.
TEST(flow_through, tells_that_it_does_not_settle) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  auto problem = make_through(comm, image({4, 6, 6}, [](index3 p) { return p.z != 2 || p.y > 2; }),
                              {on(axis::z, false, face_flow::velocity, 50), on(axis::z, true, face_flow::outlet)});
  problem.has_inertia = true;
  const auto answer = physics::solve_flow_through(problem, {1e-8, 15, true, {}}, null_log());
  EXPECT_FALSE(answer.flows[0].certificate.converged);
  EXPECT_GE(answer.flows[0].steady_history.size(), 1U);
}

}  // namespace flow_through_test
