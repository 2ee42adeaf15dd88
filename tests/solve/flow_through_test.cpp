#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/solve/flow/flow_through.hpp>
#include <random>

#include "solve/flow_images.hpp"

namespace flow_through_test {

using namespace osteon;
using namespace flow_images;
using solve::face_flow;
using solve::flow_boundary;

flow_boundary on(axis across, bool high, face_flow kind, double value = 0, bool is_developed = false) {
  flow_boundary b;
  b.across = across;
  b.high = high;
  b.kind = kind;
  b.value = value;
  b.is_developed = is_developed;
  b.name = std::string("boundary on ") + "zyx"[static_cast<int>(across)] + (high ? "_high" : "_low");
  return b;
}

solve::through_problem make_through(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries,
                                    vector3 spacing = {1, 1, 1}) {
  const auto like = make_problem(comm, img, {axis::z}, solve::flow_surroundings::closed, spacing);
  solve::through_problem problem;
  problem.where = like.where;
  problem.spacing_mm = spacing;
  problem.cells = like.cells;
  problem.boundaries = std::move(boundaries);
  problem.viscosity_Pa_s = 1;
  problem.density_kg_per_m3 = 1e6;  // Reynolds numbers are then velocity * length / viscosity in mm, s, Pa s
  return problem;
}

const solve::through_options exact{1e-8, 2000, true, {}};

solve::through_solution solve_all(const solve::through_problem& problem, const solve::through_options& how = exact) {
  auto answer = solve::solve_flow_through(problem, how, null_log());
  for (const auto& flow : answer.flows) EXPECT_TRUE(flow.certificate.converged) << flow.multiple;
  return answer;
}

image random_pores(index3 shape, unsigned seed, double porosity) {
  std::mt19937 random(seed);
  return {shape, [&](index3) { return static_cast<double>(random()) < porosity * 4294967296.0; }};
}

// Oracle: plates g voxels apart have k = (g^2 + 2) / 12 on this grid. What enters developed stays as it is, with inertia,
// too.
TEST(flow_through, between_plates_has_the_profile_and_the_drop_of_the_grid) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  const vector3 h{0.5, 0.25, 1};
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const bool backwards : {false, true})
      for (const bool inertia : {false, true}) {
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
        problem.has_inertia = inertia;
        const auto answer = solve_all(problem);
        const auto& flow = answer.flows[0];
        const double length = static_cast<double>(shape[static_cast<int>(along)]) * h[static_cast<int>(along)];
        const double k = static_cast<double>(g * g + 2) / 12 * h[static_cast<int>(across)] * h[static_cast<int>(across)];
        EXPECT_NEAR(flow.pressure_drop_Pa, 2 * length / k, 1e-6 * 2 * length / k);
        EXPECT_NEAR(flow.boundaries[0].mean_pressure_Pa, 3 + 2 * length / k, 1e-6 * 2 * length / k);
        EXPECT_NEAR(flow.boundaries[0].inflow_mm3_per_s, 2 * flow.boundaries[0].area_mm2, 1e-9);
        EXPECT_LT(std::abs(flow.imbalance), 1e-7);
        // The parabola that the grid holds exactly, of mean 2.
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

// Oracle: the series of the square duct, k = 0.0351443 a^2; on 20 voxels 0.96 % more, as in permeability.
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

// Oracle: the permeability between closed sides, another solver of the same equations.
TEST(flow_through, between_two_pressures_is_that_of_permeability) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_pores({6, 7, 8}, 3, 0.75);
  const vector3 h{1, 0.8, 1.25};
  for (const axis along : {axis::z, axis::y, axis::x}) {
    const auto permeability = solve_one(comm, img, along, solve::flow_surroundings::closed, tight, h);
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

// Oracle: without inertia's share the two are one; with it the drop grows as density * velocity^2.
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

struct cavity_result {
  std::vector<double> centre;  // u / lid velocity on the vertical centre line, by cell from the bottom
  double error = 0;            // mean distance from a table
};

// Ghia, Ghia and Shin 1982: u on the vertical line through the middle.
constexpr std::array<double, 15> height{.9766, .9688, .9609, .9531, .8516, .7344, .6172, .5,
                                        .4531, .2813, .1719, .1016, .0703, .0625, .0547};
constexpr std::array<double, 15> re_100{.84123,  .78871,  .73722,  .68717,  .23151,  .00332,  -.13641, -.20581,
                                        -.21090, -.15662, -.10150, -.06434, -.04775, -.04192, -.03717};
constexpr std::array<double, 15> re_400{.75837,  .68439,  .61756,  .55892,  .29093,  .16256,  .02135, -.11477,
                                        -.17119, -.32726, -.24299, -.14612, -.10338, -.09266, -.08186};

// Largest distance from the table.
double cavity_error(MPI_Comm comm, std::int64_t n, double reynolds, const std::array<double, 15>& table) {
  // z is up, y along the lid, x the thickness.
  flow_boundary lid = on(axis::z, true, face_flow::wall);
  lid.slide_mm_per_s.y = reynolds / static_cast<double>(n);
  auto problem = make_through(comm, image({n, n, 1}, [](index3) { return 1; }),
                              {lid, on(axis::x, false, face_flow::slip), on(axis::x, true, face_flow::slip)});
  problem.has_inertia = true;
  const auto answer = solve_all(problem, {1e-5, 5000, true, {}});
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
  RecordProperty("re100_16", std::to_string(coarse));
  RecordProperty("re100_32", std::to_string(fine));
  EXPECT_LT(coarse, 0.06);
  EXPECT_LT(fine, 0.02);
  EXPECT_LT(fine, 0.5 * coarse);
}

}  // namespace flow_through_test
