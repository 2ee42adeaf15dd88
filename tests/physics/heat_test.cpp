#include <gtest/gtest.h>
#include <omp.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>

#include "physics/heat_images.hpp"

namespace heat_test {

using namespace osteon;

using namespace heat_images;

struct dense_answer {
  double flux_into_low_W;
  std::vector<double> temperature;  // one value per voxel of the image; 0 in voids and islands
};

// The assembled problem. All active cells and their faces are assembled one by one, and the solution is by dense LDLT.
dense_answer dense_reference(const image& img, const std::vector<double>& k, vector3 h, axis along, double low,
                             double high) {
  const auto n = static_cast<std::int64_t>(img.voxels.size());
  const int a = static_cast<int>(along);
  const auto number = [&](index3 p) { return (p.z * img.shape.y + p.y) * img.shape.x + p.x; };
  const auto mm_conductivity = [&](index3 p) { return k[img.at(p) - 1U] / 1000; };
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n), low_wall = right;
  const double volume = h.z * h.y * h.x;
  for (std::int64_t z = 0; z < img.shape.z; ++z)
    for (std::int64_t y = 0; y < img.shape.y; ++y)
      for (std::int64_t x = 0; x < img.shape.x; ++x) {
        const index3 p{z, y, x};
        const auto i = number(p);
        if (img.at(p) == 0) continue;
        for (int d = 0; d < 3; ++d) {
          const double area = volume / h[d];
          index3 q = p;
          ++q[d];
          if (q[d] < img.shape[d] && img.at(q) != 0) {
            const double g = area / (h[d] / 2 / mm_conductivity(p) + h[d] / 2 / mm_conductivity(q));
            const auto j = number(q);
            matrix(i, i) += g;
            matrix(j, j) += g;
            matrix(i, j) -= g;
            matrix(j, i) -= g;
          }
          const double wall = area / (h[d] / 2 / mm_conductivity(p));
          if (d == a && p[d] == 0) {
            matrix(i, i) += wall;
            right(i) += wall * low;
            low_wall(i) = wall;
          }
          if (d == a && p[d] == img.shape[d] - 1) {
            matrix(i, i) += wall;
            right(i) += wall * high;
          }
        }
      }
  // A tiny leak fixes the temperature of voids and islands. The leak changes other temperatures by no more than its own
  // relative size.
  matrix.diagonal().array() += 1e-14 * matrix.diagonal().maxCoeff();
  const Eigen::VectorXd t = matrix.ldlt().solve(right);
  dense_answer answer{0, {t.data(), t.data() + n}};
  for (Eigen::Index i = 0; i < n; ++i) answer.flux_into_low_W += low_wall(i) * (low - t(i));
  return answer;
}

// Oracle: Fourier's law, flux = k A dT / L, for any axis, spacing, and number of cells.
TEST(heat, uniform_block_has_exactly_its_own_conductivity) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const vector3 h : {vector3{1, 1, 1}, vector3{0.5, 0.1, 0.02}}) {
      const image block({9, 6, 5}, [](index3) { return 1; });
      EXPECT_NEAR(conductivity(comm, block, {0.6}, h, along), 0.6, 0.6e-11);
    }
}

// Oracle: values computed by hand for the laminate, with the arithmetic mean 5.5 and the harmonic mean 20 / 11.
TEST(heat, laminate_is_parallel_along_its_layers_and_serial_across) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  for (const axis normal : {axis::z, axis::y, axis::x}) {
    const image layers({8, 8, 8}, [&](index3 p) { return p[static_cast<int>(normal)] % 2 == 0 ? 1 : 2; });
    for (const axis along : {axis::z, axis::y, axis::x})
      EXPECT_NEAR(conductivity(comm, layers, {1, 10}, {0.3, 0.2, 0.1}, along), along == normal ? 20.0 / 11 : 5.5, 1e-9);
  }
}

// Oracle: [Keller1964]. The conductivity of a checkerboard is sqrt(k1 k2), and voxels approach this value from one side.
TEST(heat, checkerboard_approaches_the_geometric_mean) {
  const ranks_with_a_plane comm(1);
  if (comm == MPI_COMM_NULL) return;
  double before = std::numeric_limits<double>::max();
  for (const std::int64_t n : {4, 16, 64}) {
    const image board({1, 2 * n, 2 * n}, [&](index3 p) { return (p.y / n + p.x / n) % 2 == 0 ? 1 : 2; });
    const double error =
        std::abs(conductivity(comm, board, {1, 10}, {1, 1, 1}, axis::x, {1e-10, 200}) / std::sqrt(10.0) - 1);
    EXPECT_LT(error, 0.75 * before);
    before = error;
  }
  EXPECT_LT(before, 0.03);
}

// Oracle: a dense LDLT of the matrix assembled face by face.
TEST(heat, random_porous_media_equal_the_dense_solution) {
  const index3 shape{9, 8, 10};
  const ranks_with_a_plane comm(shape.z);
  if (comm == MPI_COMM_NULL) return;
  const std::vector<double> k{0.5, 20, 3};
  const vector3 h{0.3, 0.2, 0.25};
  for (const unsigned seed : {1U, 2U})
    for (const axis along : {axis::z, axis::y, axis::x}) {
      const image img = random_porous(shape, seed, 3);
      const auto expected = dense_reference(img, k, h, along, 290, 310);
      const auto table = conductivities(k);
      auto problem = make_problem(comm, img, table, h, along);
      problem.faces = physics::two_temperatures(along, 290, 310);
      const auto solution = physics::solve_heat(problem, tight, null_log());

      EXPECT_NEAR(solution.inflow_W[static_cast<std::size_t>(along)][0] / expected.flux_into_low_W, 1, 1e-8);
      EXPECT_LT(solution.certificate.true_relative_residual, 2e-12);
      EXPECT_LT(solution.certificate.reaction_imbalance, 1e-9);
      EXPECT_LT(solution.certificate.energy_identity_error, 1e-9);
      const std::int64_t offset = problem.where.owned.begin.z * shape.y * shape.x;
      for (const voxel::run& r : problem.cells.runs())
        for (std::int32_t n = 0; n < r.length; ++n) {
          const auto i = static_cast<std::size_t>(offset + (r.z * shape.y + r.y) * shape.x + r.x + n);
          const double want = expected.temperature[i], have = solution.temperature_K[static_cast<std::size_t>(r.first + n)];
          const bool island = want < 280;  // the leak keeps the temperature of islands at 0 K
          EXPECT_NEAR(have, island ? 300 : want, 1e-6);
        }
    }
}

// Oracle: an invariant. Rotating or mirroring the image rotates or mirrors the flux.
TEST(heat, turned_and_mirrored_images_have_the_same_conductivity) {
  const ranks_with_a_plane comm(12);
  if (comm == MPI_COMM_NULL) return;
  const std::int64_t n = 12;
  const std::vector<double> k{1, 30};
  const image img = random_porous({n, n, n}, 4, 2);
  const image mirrored(img.shape, [&](index3 p) { return img.at({n - 1 - p.z, p.y, p.x}); });
  const image turned(img.shape, [&](index3 p) { return img.at({p.x, p.z, p.y}); });
  const double expected = conductivity(comm, img, k, {1, 1, 1}, axis::z);
  EXPECT_GT(expected, 0);
  EXPECT_NEAR(conductivity(comm, mirrored, k, {1, 1, 1}, axis::z) / expected, 1, 1e-10);
  EXPECT_NEAR(conductivity(comm, turned, k, {1, 1, 1}, axis::x) / expected, 1, 1e-10);
}

// Oracle: the same problem on one rank, at the default tolerance of users.
TEST(heat, flux_does_not_depend_on_the_number_of_ranks) {
  const image img = random_porous({24, 26, 28}, 7, 2);
  for (const axis along : {axis::z, axis::x}) {
    const double alone = conductivity(MPI_COMM_SELF, img, {1, 40}, {1, 1, 1}, along, {1e-6, 100});
    const double joint = conductivity(MPI_COMM_WORLD, img, {1, 40}, {1, 1, 1}, along, {1e-6, 100});
    EXPECT_NEAR(joint / alone, 1, 1e-8);
  }
}

// Oracle: bitwise equality with one thread.
TEST(heat, temperatures_do_not_depend_on_the_number_of_threads) {
  const image img = random_porous({20, 30, 30}, 8, 2);
  const auto table = conductivities({1, 5});
  const auto problem = make_problem(MPI_COMM_WORLD, img, table, {1, 1, 2}, axis::y);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const auto one = physics::solve_heat(problem, {}, null_log());
  omp_set_num_threads(3);
  const auto three = physics::solve_heat(problem, {}, null_log());
  omp_set_num_threads(before);
  EXPECT_EQ(one.temperature_K, three.temperature_K);
  EXPECT_EQ(one.inflow_W, three.inflow_W);
}

// Oracle: a bar of known conductance. A part that is connected to only one face has the temperature of this face.
TEST(heat, islands_and_dead_ends_carry_nothing) {
  const ranks_with_a_plane comm(11);
  if (comm == MPI_COMM_NULL) return;
  // A bar along z in the middle, a short strut on each face, and an island between the two struts.
  const image img({11, 7, 7}, [](index3 p) {
    if (p.y == 3 && p.x == 3) return 1;
    if (p.y == 0 && p.x == 0) return p.z < 5 || p.z > 6 ? 1 : 0;
    return p.y == 6 && p.x == 6 && p.z > 2 && p.z < 8 ? 1 : 0;
  });
  const auto table = conductivities({2});
  auto problem = make_problem(comm, img, table, {0.1, 0.1, 0.1}, axis::z);
  problem.faces = physics::two_temperatures(axis::z, 10, 30);
  const auto solution = physics::solve_heat(problem, tight, null_log());
  EXPECT_NEAR(-solution.inflow_W[0][1], -2e-3 * 0.1 * 0.1 * 20 / 1.1, 1e-14);
  EXPECT_EQ(solution.certificate.unknowns, 11);
  const auto flux = physics::heat_flux_density(problem, solution.temperature_K);
  const auto vectors = physics::heat_flux_vectors(problem, solution.temperature_K);
  for (const voxel::run& r : problem.cells.runs()) {
    const auto i = static_cast<std::size_t>(r.first);
    const std::int64_t z = problem.where.owned.begin.z + r.z;
    EXPECT_EQ(vectors[3 * i], -flux[i]);  // from the warm face at high z downwards, and not to the sides
    EXPECT_EQ(vectors[3 * i + 1], 0);
    EXPECT_EQ(vectors[3 * i + 2], 0);
    if (r.y == 3) {
      EXPECT_NEAR(solution.temperature_K[i], 10 + 20 * (static_cast<double>(z) + 0.5) / 11, 1e-9);
      EXPECT_NEAR(flux[i], 2e-3 * 20 / 1.1, 1e-8);
    } else {
      EXPECT_EQ(solution.temperature_K[i], r.y == 6 ? 20 : z < 5 ? 10 : 30);
      EXPECT_EQ(flux[i], 0);
    }
  }
}

// Oracle: a gap that every path would have to cross. The flux is zero, and each side has the temperature of its face. All
// ranks must detect the gap, because otherwise the test deadlocks.
TEST(heat, without_a_path_nothing_flows) {
  const ranks_with_a_plane comm(10);
  if (comm == MPI_COMM_NULL) return;
  const image gap({10, 6, 6}, [](index3 p) { return p.x == 3 || p.z == 5 ? 0 : 1; });
  const auto table = conductivities({1});
  for (const axis along : {axis::z, axis::x}) {
    const auto problem = make_problem(comm, gap, table, {1, 1, 1}, along);
    const auto& faces = problem.faces[static_cast<std::size_t>(along)];
    const auto solution = physics::solve_heat(problem, {}, null_log());
    EXPECT_TRUE(solution.certificate.converged);
    EXPECT_EQ(solution.inflow_W[static_cast<std::size_t>(along)], (std::array<double, 2>{0, 0}));
    const std::int64_t cut = along == axis::z ? 5 : 3;
    for (const voxel::run& r : problem.cells.runs())
      for (std::int32_t i = 0; i < r.length; ++i) {
        const index3 at = problem.where.owned.begin + index3{r.z, r.y, r.x + i};
        EXPECT_EQ(solution.temperature_K[static_cast<std::size_t>(r.first + i)],
                  faces[at[static_cast<int>(along)] < cut ? 0 : 1].temperature_K);
      }
  }
}

// Oracle: a serpentine that crosses every rank boundary several times. The serpentine is one path, which is a chain of
// resistors in series.
TEST(heat, a_path_that_winds_through_the_ranks_conducts) {
  const std::int64_t n = 15;
  const ranks_with_a_plane comm(n);
  if (comm == MPI_COMM_NULL) return;
  const image snake({n, 1, 9}, [&](index3 p) {
    if (p.x % 2 == 0) return 1;
    return p.z == (p.x % 4 == 1 ? n - 1 : 0) ? 1 : 0;
  });
  // The path has five columns of n cells, and 4 links. The walls touch the first and the last column along their whole
  // length, so that these columns are fins. The dense solution is therefore the reference.
  const double expected = dense_reference(snake, {1}, {1, 1, 1}, axis::x, 0, 1).flux_into_low_W;
  EXPECT_NEAR(-1000 * expected, conductivity(comm, snake, {1}, {1, 1, 1}, axis::x) * static_cast<double>(n) / 9, 1e-9);
}

// Oracle: the bounds of Wiener, a bounded number of iterations, and the residual recomputed in double precision. The
// contrast is a million. The voxels are cubes, or ten times as wide as thick.
TEST(heat, contrast_of_a_million_converges_within_the_wiener_bounds) {
  const image img({24, 24, 24}, [](index3 p) { return (p.z / 3 + p.y / 5 + p.x / 4) % 3 == 0 ? 2 : 1; });
  const auto good_cells = std::count(img.voxels.begin(), img.voxels.end(), 2);
  const double good = static_cast<double>(good_cells) / static_cast<double>(img.voxels.size());
  const auto table = conductivities({1e-3, 1e3});
  for (const double width : {1.0, 10.0}) {
    const auto problem = make_problem(MPI_COMM_WORLD, img, table, {1, width, width}, axis::z);
    const auto solution = physics::solve_heat(problem, {1e-9, 100}, null_log());
    EXPECT_TRUE(solution.certificate.converged);
    EXPECT_LE(solution.certificate.true_relative_residual, 1e-9);
    EXPECT_LE(solution.certificate.iterations, 40);
    const double k = -1000 * solution.inflow_W[0][0] / 24 / (width * width);
    EXPECT_GT(k, 1 / (good / 1e3 + (1 - good) / 1e-3));
    EXPECT_LT(k, good * 1e3 + (1 - good) * 1e-3);
  }
}

// Oracle: multigrid. For eight times as many cells, the number of iterations must not be much larger.
TEST(heat, iterations_hardly_grow_with_refinement) {
  std::vector<int> iterations;
  for (const std::int64_t scale : {1, 2, 3}) {
    const image coarse = random_porous({14, 14, 14}, 11, 1);
    const image fine({14 * scale, 14 * scale, 14 * scale},
                     [&](index3 p) { return coarse.at({p.z / scale, p.y / scale, p.x / scale}); });
    const auto table = conductivities({1});
    const auto solution = physics::solve_heat(make_problem(MPI_COMM_WORLD, fine, table, {1, 1, 1}, axis::z), {}, null_log());
    EXPECT_TRUE(solution.certificate.converged);
    EXPECT_EQ(solution.certificate.residual_history.size(), static_cast<std::size_t>(solution.certificate.iterations) + 1);
    iterations.push_back(solution.certificate.iterations);
  }
  EXPECT_LE(iterations.back(), 20);
  EXPECT_LE(iterations.back(), iterations.front() + 8);
}

// Oracle: the contract of options.
TEST(heat, too_few_iterations_are_reported_not_thrown) {
  const image img = random_porous({16, 16, 16}, 7, 2);
  const auto table = conductivities({1, 100});
  const auto solution =
      physics::solve_heat(make_problem(MPI_COMM_WORLD, img, table, {1, 1, 1}, axis::z), {1e-10, 2}, null_log());
  EXPECT_FALSE(solution.certificate.converged);
  EXPECT_EQ(solution.certificate.iterations, 2);
  EXPECT_GT(solution.certificate.true_relative_residual, 1e-10);
}

// Oracle: the number of voids, counted by hand. balance_planes assigns planes without a cell of the path to some ranks.
TEST(heat, ranks_without_a_conducting_cell_take_part) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const image img({8, 4, 6}, [](index3 p) { return p.z == 0 ? 1 : 0; });
  EXPECT_NEAR(conductivity(comm, img, {3}, {1, 1, 1}, axis::x), 3.0 / 8, 1e-10);
}

// Oracle: Fourier's law in a laminate. Along the layers, the flux density of each layer is its own k times the gradient.
// Across the layers, all layers have one flux density.
TEST(heat, flux_density_of_a_laminate_follows_fouriers_law) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image layers({6, 4, 4}, [](index3 p) { return p.z % 2 == 0 ? 1 : 2; });
  const auto table = conductivities({1, 10});
  for (const axis along : {axis::y, axis::z}) {
    const auto problem = make_problem(comm, layers, table, {0.5, 0.25, 0.125}, along);
    const auto solution = physics::solve_heat(problem, tight, null_log());
    const auto flux = physics::heat_flux_density(problem, solution.temperature_K);
    for (const voxel::run& r : problem.cells.runs()) {
      const double k = (problem.where.owned.begin.z + r.z) % 2 == 0 ? 1e-3 : 1e-2;
      const double expected = along == axis::y ? k / (4 * 0.25) : 20e-3 / 11 / (6 * 0.5);
      for (std::int32_t n = 0; n < r.length; ++n)
        EXPECT_NEAR(flux[static_cast<std::size_t>(r.first + n)] / expected, 1, 1e-6);
    }
  }
}

// Oracle: a fault of a problem is an error of its type on all ranks, not only on the ranks where the fault occurs.
TEST(heat, inconsistent_problems_are_refused) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image img({6, 3, 3}, [](index3) { return 1; });
  const auto table = conductivities({1}), insulating = conductivities({0});
  auto spacing = make_problem(comm, img, table, {1, 0, 1}, axis::z);
  EXPECT_THROW(physics::solve_heat(spacing, {}, null_log()), usage_error);
  auto zero = make_problem(comm, img, insulating, {1, 1, 1}, axis::z);
  EXPECT_THROW(physics::solve_heat(zero, {}, null_log()), data_error);
  auto unknown = make_problem(comm, img, table, {1, 1, 1}, axis::z);
  if (comm::rank(comm) == 0) unknown.material[0] = 9;
  EXPECT_THROW(physics::solve_heat(unknown, {}, null_log()), data_error);
  const auto whole = make_problem(comm, img, table, {1, 1, 1}, axis::z);
  EXPECT_THROW(physics::heat_flux_density(whole, {1.0}), usage_error);
  EXPECT_THROW(physics::solve_heat(whole, {0.0, 100}, null_log()), usage_error);
}

}  // namespace heat_test
