#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <osteon/base/error.hpp>

#include "physics/heat_images.hpp"

namespace heat_boundary_test {

using namespace heat_images;
using numerics::thermal;

// The assembled problem. All active cells and their faces are assembled one by one, and the solution is by dense LDLT. The
// result is a temperature per voxel.
std::vector<double> dense_reference(const image& img, const std::vector<double>& k, const numerics::heat_problem& problem) {
  const auto n = static_cast<std::int64_t>(img.voxels.size());
  const vector3 h = problem.spacing_mm;
  const auto number = [&](index3 p) { return (p.z * img.shape.y + p.y) * img.shape.x + p.x; };
  const auto resistance = [&](index3 p, int d) { return h[d] / 2 / (k[img.at(p) - 1U] / 1000); };
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
  const double volume = h.z * h.y * h.x;
  for (std::int64_t z = 0; z < img.shape.z; ++z)
    for (std::int64_t y = 0; y < img.shape.y; ++y)
      for (std::int64_t x = 0; x < img.shape.x; ++x) {
        const index3 p{z, y, x};
        const auto i = number(p);
        if (img.at(p) == 0) continue;
        if (!problem.source_W_per_mm3.empty()) right(i) += volume * problem.source_W_per_mm3[img.at(p)];
        for (int d = 0; d < 3; ++d) {
          const auto axis = static_cast<std::size_t>(d);
          const double area = volume / h[d], length = static_cast<double>(img.shape[d]) * h[d];
          index3 q = p;
          ++q[d];
          const bool wraps = q[d] == img.shape[d] && problem.periodic[axis];
          if (wraps) q[d] = 0;
          if (q[d] < img.shape[d] && img.at(q) != 0) {
            const double g = area / (resistance(p, d) + resistance(q, d));
            const auto j = number(q);
            matrix(i, i) += g;
            matrix(j, j) += g;
            matrix(i, j) -= g;
            matrix(j, i) -= g;
            const double rise = wraps ? problem.gradient_K_per_mm[d] * length : 0;
            right(i) += g * rise;
            right(j) -= g * rise;
          }
          for (const bool high : {false, true}) {
            const auto& face = problem.faces[axis][high ? 1 : 0];
            if (problem.periodic[axis] || p[d] != (high ? img.shape[d] - 1 : 0)) continue;
            if (face.kind == thermal::flux) right(i) += area * face.flux_W_per_mm2;
            if (face.kind != thermal::temperature && face.kind != thermal::convection) continue;
            const double film = face.kind == thermal::convection ? 1 / face.transfer_W_per_mm2K : 0;
            double outside = face.temperature_K + problem.gradient_K_per_mm[d] * (high ? length : -length) / 2;
            for (int e = 0; e < 3; ++e)
              if (e != d)
                outside += problem.gradient_K_per_mm[e] * h[e] *
                           (static_cast<double>(p[e]) + 0.5 - static_cast<double>(img.shape[e]) / 2);
            matrix(i, i) += area / (resistance(p, d) + film);
            right(i) += area / (resistance(p, d) + film) * outside;
          }
        }
      }
  // A tiny leak fixes the temperature of voids and islands. The leak changes other temperatures by no more than its own
  // relative size.
  matrix.diagonal().array() += 1e-14 * matrix.diagonal().maxCoeff();
  const Eigen::VectorXd t = matrix.ldlt().solve(right);
  return {t.data(), t.data() + n};
}

numerics::face_condition held_at(double temperature_K) { return {thermal::temperature, temperature_K, 0, 0}; }
numerics::face_condition cooled(double ambient_K, double transfer) { return {thermal::convection, ambient_K, 0, transfer}; }
numerics::face_condition heated(double flux) { return {thermal::flux, 0, flux, 0}; }

double net(const physics::heat_solution& s) {
  double sum = s.source_W;
  for (const auto& pair : s.inflow_W) sum += pair[0] + pair[1];
  return sum;
}

// Oracle: a dense LDLT of the matrix that is assembled face by face, with every kind of condition at once.
TEST(heat_boundary, mixed_conditions_equal_the_dense_solution) {
  const index3 shape{9, 8, 10};
  const ranks_with_a_plane comm(shape.z);
  if (comm == MPI_COMM_NULL) return;
  const std::vector<double> k{0.5, 20, 3};
  const vector3 h{0.3, 0.2, 0.25};
  const auto table = conductivities(k);
  for (int variant = 0; variant < 4; ++variant) {
    const image porous = random_porous(shape, 3, 3);
    // A frame connects all cells, so that no part is trapped.
    const image img(shape, [&](index3 p) { return p.y == 0 || p.x == 9 ? 2 : porous.at(p); });
    auto problem = make_problem(comm, img, table, h, axis::z);
    problem.faces = {{{held_at(300), cooled(280, 4e-4)}, {heated(2e-3), cooled(310, 1e-3)}, {held_at(290), heated(-1e-3)}}};
    problem.source_W_per_mm3 = {0, 1e-3, 0, -2e-3};
    if (variant > 0) {
      const auto axis = static_cast<std::size_t>(variant - 1);
      problem.periodic[axis] = true;
      problem.faces[axis] = {};
      problem.gradient_K_per_mm = {0.5, -2, 1};
    }
    const auto expected = dense_reference(img, k, problem);
    const auto solution = physics::solve_heat(problem, tight, null_log());

    EXPECT_TRUE(solution.certificate.converged);
    EXPECT_LT(solution.certificate.reaction_imbalance, 1e-9);
    EXPECT_LT(solution.certificate.energy_identity_error, 1e-9);
    const std::int64_t offset = problem.where.owned.begin.z * shape.y * shape.x;
    for (const voxel::run& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const double want = expected[static_cast<std::size_t>(offset + (r.z * shape.y + r.y) * shape.x + r.x + n)];
        EXPECT_NEAR(solution.temperature_K[static_cast<std::size_t>(r.first + n)], want, 1e-6) << variant;
      }
  }
}

// Oracle: the linear profile of a slab heated on one side and cooled by a film on the other.
TEST(heat_boundary, flux_through_a_film_has_the_hand_value) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  const image slab({7, 3, 4}, [](index3) { return 1; });
  const auto table = conductivities({2});
  for (int a = 0; a < 3; ++a) {
    const vector3 h{0.5, 0.4, 0.3};
    auto problem = make_problem(comm, slab, table, h, axis::z);
    problem.faces = {};
    problem.faces[static_cast<std::size_t>(a)] = {heated(0.01), cooled(295, 5e-4)};
    const auto solution = physics::solve_heat(problem, tight, null_log());
    const double length = static_cast<double>(slab.shape[a]) * h[a];
    for (const voxel::run& r : problem.cells.runs())
      for (std::int32_t n = 0; n < r.length; ++n) {
        const index3 p{problem.where.owned.begin.z + r.z, r.y, r.x + n};
        const double depth = length - (static_cast<double>(p[a]) + 0.5) * h[a];
        EXPECT_NEAR(solution.temperature_K[static_cast<std::size_t>(r.first + n)], 295 + 0.01 / 5e-4 + 0.01 * depth / 2e-3,
                    1e-8);
      }
    const double area = static_cast<double>(slab.shape.volume()) * h.z * h.y * h.x / length;
    EXPECT_NEAR(solution.inflow_W[static_cast<std::size_t>(a)][1], -0.01 * area, 1e-12);
  }
}

// Oracle: s x (L - x) / 2k. The two-point scheme differs by s h^2 / 8k in every cell, which is derived by hand.
TEST(heat_boundary, a_heated_slab_is_a_parabola) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const image slab({8, 2, 2}, [](index3) { return 1; });
  const auto table = conductivities({3});
  auto problem = make_problem(comm, slab, table, {0.5, 1, 1}, axis::z);
  problem.faces = physics::two_temperatures(axis::z, 0, 0);
  problem.source_W_per_mm3 = {0, 0.02};
  const auto solution = physics::solve_heat(problem, tight, null_log());
  for (const voxel::run& r : problem.cells.runs()) {
    const double x = 0.5 * (static_cast<double>(problem.where.owned.begin.z + r.z) + 0.5);
    EXPECT_NEAR(solution.temperature_K[static_cast<std::size_t>(r.first)], 0.02 / 3e-3 * (x * (4 - x) / 2 + 0.25 / 8), 1e-9);
  }
  EXPECT_NEAR(solution.source_W, 0.02 * 4 * 2 * 2, 1e-12);
  EXPECT_NEAR(net(solution), 0, 1e-10);
}

// Oracle: NAFEMS benchmark T4, with 18.3 degrees at a point of the cooled edge. The limit of three meshes is found by
// Richardson's extrapolation.
TEST(heat_boundary, nafems_t4_reaches_its_target) {
  const ranks_with_a_plane comm(1);
  if (comm == MPI_COMM_NULL) return;
  std::vector<double> found;
  for (const std::int64_t n : {1, 2, 4}) {
    const image plate({1, 20 * n, 12 * n}, [](index3) { return 1; });
    const double h = 50.0 / static_cast<double>(n);
    const auto table = conductivities({52});
    auto problem = make_problem(comm, plate, table, {h, h, h}, axis::z);
    problem.faces = {};
    problem.faces[1] = {held_at(100), cooled(0, 750e-6)};
    problem.faces[2] = {numerics::face_condition{}, cooled(0, 750e-6)};
    const auto solution = physics::solve_heat(problem, {1e-9, 100}, null_log());
    EXPECT_NEAR(net(solution) / solution.inflow_W[1][0], 0, 1e-7);
    // Two cells meet 200 mm up the edge. The film includes its part of the drop in half a cell.
    const auto cell = [&](std::int64_t y) { return solution.temperature_K[static_cast<std::size_t>((y + 1) * 12 * n - 1)]; };
    const double share = (2 * 0.052 / h) / (2 * 0.052 / h + 750e-6);
    found.push_back(share * (cell(4 * n - 1) + cell(4 * n)) / 2);
  }
  const double extrapolated = found[2] + (found[2] - found[1]) / 3;
  EXPECT_NEAR(extrapolated, 18.3, 0.05);
  EXPECT_LT(std::abs(found[2] - extrapolated), std::abs(found[1] - extrapolated));
  EXPECT_LT(std::abs(found[1] - extrapolated), std::abs(found[0] - extrapolated));
}

// Oracle: a linear field is the solution for a uniform periodic block. The heat through every face is k G A.
TEST(heat_boundary, a_periodic_block_carries_the_mean_gradient) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  const image block({5, 6, 4}, [](index3) { return 1; });
  const auto table = conductivities({1.5});
  const vector3 h{0.5, 0.2, 0.3}, gradient{2, -1, 0.5};
  auto problem = make_problem(comm, block, table, h, axis::z);
  problem.faces = {};
  problem.periodic = {true, true, true};
  problem.gradient_K_per_mm = gradient;
  const auto solution = physics::solve_heat(problem, tight, null_log());
  EXPECT_TRUE(solution.certificate.converged);
  EXPECT_EQ(solution.periodic_faces[0].both, 24);
  EXPECT_EQ(solution.periodic_faces[1].both, 20);
  EXPECT_EQ(solution.periodic_faces[2].both, 30);
  for (const voxel::run& r : problem.cells.runs())
    for (std::int32_t n = 0; n < r.length; ++n) {
      const index3 p{problem.where.owned.begin.z + r.z, r.y, r.x + n};
      double expected = 0;
      for (int d = 0; d < 3; ++d)
        expected += gradient[d] * h[d] * (static_cast<double>(p[d]) + 0.5 - static_cast<double>(block.shape[d]) / 2);
      EXPECT_NEAR(solution.temperature_K[static_cast<std::size_t>(r.first + n)], expected, 1e-9);
    }
  for (int d = 0; d < 3; ++d) {
    const double area = 5 * 6 * 4 * h.z * h.y * h.x / (static_cast<double>(block.shape[d]) * h[d]);
    EXPECT_NEAR(solution.inflow_W[static_cast<std::size_t>(d)][0], -1.5e-3 * gradient[d] * area, 1e-9);
  }
  const auto flux = physics::heat_flux_density(problem, solution.temperature_K);
  for (const float q : flux) EXPECT_NEAR(q, 1.5e-3 * std::sqrt(5.25), 1e-8);
}

// Oracle: an invariant. A periodic image may be cut anywhere, and the heat through a section is unchanged.
TEST(heat_boundary, a_shifted_periodic_image_carries_the_same_heat) {
  const index3 shape{14, 12, 13};
  const ranks_with_a_plane comm(shape.z);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_porous(shape, 5, 2);
  const auto table = conductivities({1, 30});
  std::vector<double> heat;
  for (const index3 by : {index3{0, 0, 0}, index3{5, 0, 0}, index3{3, 4, 7}}) {
    const image shifted(
        shape, [&](index3 p) { return img.at({(p.z + by.z) % shape.z, (p.y + by.y) % shape.y, (p.x + by.x) % shape.x}); });
    auto problem = make_problem(comm, shifted, table, {1, 1, 1}, axis::z);
    problem.faces = {};
    problem.periodic = {true, true, true};
    problem.gradient_K_per_mm = {1, 0, 0};
    const auto solution = physics::solve_heat(problem, tight, null_log());
    EXPECT_TRUE(solution.certificate.converged);
    EXPECT_NEAR(solution.inflow_W[0][0] / -solution.inflow_W[0][1], 1, 1e-9);
    heat.push_back(solution.inflow_W[0][0]);
  }
  EXPECT_LT(heat[0], 0);
  EXPECT_NEAR(heat[1] / heat[0], 1, 1e-9);
  EXPECT_NEAR(heat[2] / heat[0], 1, 1e-9);
}

// Oracle: the same problem on one rank, at the default tolerance of users.
TEST(heat_boundary, answers_do_not_depend_on_the_number_of_ranks) {
  const image img = random_porous({20, 16, 18}, 9, 2);
  const auto table = conductivities({1, 40});
  const auto solve_on = [&](MPI_Comm comm) {
    auto problem = make_problem(comm, img, table, {1, 1, 1}, axis::z);
    problem.faces = {};
    problem.faces[1] = {held_at(300), cooled(310, 1e-3)};
    problem.periodic[0] = true;
    return physics::solve_heat(problem, {1e-8, 100}, null_log());
  };
  const auto alone = solve_on(MPI_COMM_SELF), joint = solve_on(MPI_COMM_WORLD);
  EXPECT_NEAR(joint.inflow_W[1][0] / alone.inflow_W[1][0], 1, 1e-10);
  EXPECT_NEAR(joint.inflow_W[1][1] / alone.inflow_W[1][1], 1, 1e-10);
  EXPECT_EQ(joint.periodic_faces[0].low, alone.periodic_faces[0].low);
  EXPECT_EQ(joint.periodic_faces[0].high, alone.periodic_faces[0].high);
  EXPECT_EQ(joint.periodic_faces[0].both, alone.periodic_faces[0].both);
  EXPECT_GT(alone.periodic_faces[0].both, 0);
}

// Oracle: the contract. A heated part that cannot lose heat has no solution. Periodic faces without connections have no
// solution.
TEST(heat_boundary, problems_without_an_answer_are_refused_on_every_rank) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image two_bars({6, 5, 5}, [](index3 p) { return p.y == 1 || p.y == 3 ? 1 : 0; });
  const auto table = conductivities({1});
  auto trapped = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
  trapped.faces = {};
  trapped.faces[0][0] = heated(1);
  EXPECT_THROW(physics::solve_heat(trapped, {}, null_log()), data_error);
  auto source = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
  source.faces = {};
  source.source_W_per_mm3 = {0, 1};
  EXPECT_THROW(physics::solve_heat(source, {}, null_log()), data_error);
  const image staggered({6, 5, 5}, [](index3 p) { return (p.y < 3) == (p.x < 2) ? 1 : 0; });
  auto unjoined = make_problem(comm, staggered, table, {1, 1, 1}, axis::z);
  unjoined.periodic[1] = true;
  EXPECT_THROW(physics::solve_heat(unjoined, {}, null_log()), data_error);
  auto both = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
  both.periodic[0] = true;
  EXPECT_THROW(physics::solve_heat(both, {}, null_log()), usage_error);
  auto still = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
  still.faces = physics::two_temperatures(axis::z, 300, 300);
  EXPECT_THROW(physics::solve_heat(still, {}, null_log()), data_error);
  auto film = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
  film.faces[0][1] = cooled(300, 0);
  EXPECT_THROW(physics::solve_heat(film, {}, null_log()), usage_error);
}

// Oracle: values computed by hand. The heat that enters a bar at one end leaves the bar at the other end. The temperature
// decreases linearly. Its mean is zero in each of two bars, because no condition fixes its level.
TEST(heat_boundary, fluxes_that_balance_leave_the_level_free) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image two_bars({6, 5, 5}, [](index3 p) { return p.y == 1 ? 1 : p.y == 3 ? 2 : 0; });
  const auto table = conductivities({1, 4});
  for (const double rest : {0.0, 3e-7}) {
    auto bars = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
    bars.faces = {};
    bars.faces[0][0] = heated(1e-3);
    bars.faces[0][1] = heated(-1e-3 * (1 + rest));
    const auto answer = physics::solve_heat(bars, tight, null_log());
    EXPECT_TRUE(answer.certificate.converged);
    EXPECT_NEAR(answer.certificate.reaction_imbalance, rest, 1e-9);
    for (const voxel::run& r : bars.cells.runs()) {
      const auto z = static_cast<double>(bars.where.owned.begin.z + r.z);
      EXPECT_NEAR(answer.temperature_K[static_cast<std::size_t>(r.first)], (2.5 - z) / (r.y == 1 ? 1 : 4), 1e-5);
    }
  }
  auto much = make_problem(comm, two_bars, table, {1, 1, 1}, axis::z);
  much.faces = {};
  much.faces[0] = {heated(1e-3), heated(-1.0001e-3)};
  EXPECT_THROW(physics::solve_heat(much, {}, null_log()), data_error);
}

}  // namespace heat_boundary_test
