#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <osteon/physics/heat/solver/heat_tensor.hpp>

#include "physics/heat_images.hpp"

namespace heat_tensor_test {

using namespace heat_images;
using physics::surroundings;

Eigen::Matrix3d matrix_of(const physics::conductivity_tensor& t) {
  Eigen::Matrix3d k;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) k(i, j) = t.conductivity_W_per_mK[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return k;
}

Eigen::Matrix3d tensor(MPI_Comm comm, const image& img, const std::vector<double>& k, vector3 h, surroundings kind,
                       numerics::options how = tight) {
  const auto table = conductivities(k);
  const auto found = physics::effective_conductivity(make_problem(comm, img, table, h, axis::z), kind, how, null_log());
  for (const auto& certificate : found.certificate) {
    EXPECT_TRUE(certificate.converged);
    EXPECT_LE(certificate.true_relative_residual, how.tolerance);
  }
  const Eigen::Matrix3d matrix = matrix_of(found);
  for (std::size_t n = 0; n < 3; ++n) {
    const vector3 d = found.direction[n];
    const Eigen::Vector3d v(d.z, d.y, d.x);
    EXPECT_LE((matrix * v - found.principal_W_per_mK[n] * v).norm(), 1e-12 * matrix.norm());
  }
  EXPECT_GE(found.principal_W_per_mK[0], found.principal_W_per_mK[2]);
  return matrix;
}

// Two phases in smooth patches with a width of several voxels.
image patches(index3 shape, unsigned seed, double level) {
  std::mt19937 random(seed);
  struct wave {
    int z, y, x;
    double phase;
  };
  std::vector<wave> waves;
  const auto one = [&] { return static_cast<int>(random() % 5U) - 2; };
  for (int n = 0; n < 12; ++n) {
    const int z = one(), y = one(), x = one();
    waves.push_back({z, y, x, static_cast<double>(random() % 1000U) * 0.0062831853});
  }
  return {shape, [=](index3 p) {
            double sum = 0;
            for (const wave& w : waves)
              sum += std::cos(2 * std::numbers::pi *
                                  (w.z * static_cast<double>(p.z) / static_cast<double>(shape.z) +
                                   w.y * static_cast<double>(p.y) / static_cast<double>(shape.y) +
                                   w.x * static_cast<double>(p.x) / static_cast<double>(shape.x)) +
                              w.phase);
            return sum > level ? 2 : 1;
          }};
}

// Oracle: values computed by hand for the laminate. The arithmetic mean along the layers is 5.5, and the harmonic mean
// across the layers is 20 / 11.
TEST(heat_tensor, a_laminate_is_exact) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  for (int normal = 0; normal < 3; ++normal) {
    const image layers({8, 6, 4}, [&](index3 p) { return p[normal] % 2 == 0 ? 1 : 2; });
    const auto k = tensor(comm, layers, {1, 10}, {0.3, 0.2, 0.1}, surroundings::periodic);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(k(i, j), i != j ? 0 : i == normal ? 20.0 / 11 : 5.5, 1e-9);
  }
}

// Oracle: a laminate rotated by 45 degrees has the values computed by hand along its own axes. Stairs of one voxel
// approximate the laminate.
TEST(heat_tensor, a_turned_laminate_has_turned_axes) {
  const ranks_with_a_plane comm(24);
  if (comm == MPI_COMM_NULL) return;
  const image layers({24, 24, 2}, [](index3 p) { return (p.z + p.y) / 12 % 2 == 0 ? 1 : 2; });
  const auto table = conductivities({1, 3});
  const auto found = physics::effective_conductivity(make_problem(comm, layers, table, {1, 1, 1}, axis::z),
                                                     surroundings::periodic, tight, null_log());
  EXPECT_NEAR(found.principal_W_per_mK[0], 2, 0.05);
  EXPECT_NEAR(found.principal_W_per_mK[2], 1.5, 0.05);
  EXPECT_NEAR(std::abs(found.direction[2].z), std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(found.direction[2].z, found.direction[2].y, 1e-6);
}

// Oracle: [Keller1964], sqrt(k1 k2) for the periodic checkerboard. The error at the corners decreases slowly, and the values
// approach the limit from below.
TEST(heat_tensor, checkerboard_approaches_the_geometric_mean) {
  const ranks_with_a_plane comm(1);
  if (comm == MPI_COMM_NULL) return;
  double before = 0;
  for (const std::int64_t n : {4, 16, 64}) {
    const image board({1, 2 * n, 2 * n}, [&](index3 p) { return (p.y / n + p.x / n) % 2 == 0 ? 1 : 2; });
    const auto k = tensor(comm, board, {1, 10}, {1, 1, 1}, surroundings::periodic, {1e-10, 200});
    EXPECT_NEAR(k(1, 1) / k(2, 2), 1, 1e-8);
    EXPECT_NEAR(k(0, 0), 5.5, 1e-9);
    const double ratio = k(2, 2) / std::sqrt(10.0);
    EXPECT_GT(ratio, before);
    EXPECT_LT(ratio, 1);
    if (before > 0) {
      EXPECT_LT(1 - ratio, 0.75 * (1 - before));
    }
    before = ratio;
  }
  EXPECT_GT(before, 0.97);
}

// Oracle: Rayleigh 1892 for insulating spheres on a cubic lattice, at the volume fraction of the voxels.
TEST(heat_tensor, insulating_spheres_approach_rayleighs_value) {
  double before = 1;
  for (const int n : {12, 24, 40}) {
    const ranks_with_a_plane comm(n);
    const double radius = std::cbrt(0.2 * 3 / (4 * std::numbers::pi)) * n;
    std::int64_t hollow = 0;
    const image lattice({n, n, n}, [&](index3 p) {
      double square = 0;
      for (int d = 0; d < 3; ++d) square += std::pow(static_cast<double>(p[d]) + 0.5 - 0.5 * n, 2);
      const bool is_sphere = square < radius * radius;
      hollow += is_sphere;
      return is_sphere ? 0 : 1;
    });
    if (comm == MPI_COMM_NULL) continue;
    const double f = static_cast<double>(hollow) / std::pow(n, 3);
    const double rayleigh = 1 - 3 * f / (2 + f - 0.979 * std::pow(f, 10.0 / 3));
    const auto k = tensor(comm, lattice, {1}, {1, 1, 1}, surroundings::periodic, {1e-7, 100});
    const double error = std::abs(k(0, 0) / rayleigh - 1);
    EXPECT_NEAR(k(1, 1) / k(0, 0), 1, 1e-6);
    EXPECT_LT(error, 0.8 * before);
    before = error;
    if (n == 40) {
      EXPECT_NEAR(rayleigh, 0.72670, 0.004);
      EXPECT_LT(error, 0.015);
    }
  }
}

// Oracle: the bounds of Wiener, which two-point fluxes satisfy exactly, and the bounds of Murat and Tartar (Hashin and
// Shtrikman's bounds for any symmetry). Patches of several voxels satisfy the bounds of Murat and Tartar with a margin. A
// linear temperature on the faces increases the conductivity.
TEST(heat_tensor, random_images_stay_within_the_bounds) {
  const index3 shape{20, 22, 18};
  const double k1 = 1, k2 = 6;
  for (const unsigned seed : {1U, 2U, 3U}) {
    const image img = patches(shape, seed, static_cast<double>(seed) - 2);
    const auto good = static_cast<double>(std::count(img.voxels.begin(), img.voxels.end(), 2));
    const double f = good / static_cast<double>(shape.volume());
    const double arithmetic = f * k2 + (1 - f) * k1, harmonic = 1 / (f / k2 + (1 - f) / k1);
    const auto k = tensor(MPI_COMM_WORLD, img, {k1, k2}, {1, 1, 1}, surroundings::periodic, {1e-9, 100});
    const Eigen::Vector3d values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(k).eigenvalues();
    double low = 0, high = 0;
    for (const double v : values) {
      EXPECT_GT(v, harmonic);
      EXPECT_LT(v, arithmetic);
      low += 1 / (v - k1);
      high += 1 / (k2 - v);
    }
    EXPECT_LT(low, 1 / (harmonic - k1) + 2 / (arithmetic - k1));
    EXPECT_LT(high, 1 / (k2 - harmonic) + 2 / (k2 - arithmetic));

    const auto uniform = tensor(MPI_COMM_WORLD, img, {k1, k2}, {1, 1, 1}, surroundings::uniform_gradient, {1e-9, 100});
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(uniform - k).eigenvalues()[0], 0);
    EXPECT_LT(Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(uniform).eigenvalues()[2], arithmetic);
  }
}

// Oracle: an invariant. Rotating and mirroring the image rotates and mirrors the tensor.
TEST(heat_tensor, turned_and_mirrored_images_have_the_turned_tensor) {
  const std::int64_t n = 13;
  const ranks_with_a_plane comm(n);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_porous({n, n, n}, 4, 2);
  const image mirrored(img.shape, [&](index3 p) { return img.at({n - 1 - p.z, p.y, p.x}); });
  const image turned(img.shape, [&](index3 p) { return img.at({p.x, p.z, p.y}); });
  for (const surroundings kind : {surroundings::periodic, surroundings::uniform_gradient}) {
    const auto k = tensor(comm, img, {1, 30}, {0.3, 0.2, 0.25}, kind, {1e-10, 100});
    const auto m = tensor(comm, mirrored, {1, 30}, {0.3, 0.2, 0.25}, kind, {1e-10, 100});
    // Axis z of the image is axis x of the rotated image, axis y is z, and axis x is y.
    const auto t = tensor(comm, turned, {1, 30}, {0.2, 0.25, 0.3}, kind, {1e-10, 100});
    const std::array<int, 3> to{2, 0, 1};
    EXPECT_GT(std::abs(k(0, 1)), 1e-4);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const double sign = (i == 0) == (j == 0) ? 1 : -1;
        EXPECT_NEAR(m(i, j), sign * k(i, j), 1e-9);
        EXPECT_NEAR(t(to[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(j)]), k(i, j), 1e-9);
      }
  }
}

// Oracle: the same problem on one rank, at the default tolerance. The energy is exact to second order.
TEST(heat_tensor, does_not_depend_on_the_number_of_ranks) {
  const image img = random_porous({18, 16, 17}, 7, 2);
  for (const surroundings kind : {surroundings::periodic, surroundings::uniform_gradient}) {
    const auto alone = tensor(MPI_COMM_SELF, img, {1, 40}, {1, 1, 1}, kind, {1e-6, 100});
    const auto joint = tensor(MPI_COMM_WORLD, img, {1, 40}, {1, 1, 1}, kind, {1e-6, 100});
    EXPECT_LT((joint - alone).norm(), 1e-8 * alone.norm());
  }
}

// Oracle: solve_heat for the problem of one gradient. The heat through the periodic face is a column of the tensor.
TEST(heat_tensor, columns_are_the_flows_of_single_solutions) {
  const index3 shape{9, 8, 10};
  const ranks_with_a_plane comm(shape.z);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_porous(shape, 1, 2);
  const auto table = conductivities({2, 5});
  const auto problem = make_problem(comm, img, table, {0.3, 0.2, 0.25}, axis::z);
  const auto found = physics::effective_conductivity(problem, surroundings::periodic, tight, null_log());
  const auto single =
      physics::solve_heat(physics::gradient_problem(problem, surroundings::periodic, axis::y), tight, null_log());
  const double volume = static_cast<double>(shape.volume()) * 0.3 * 0.2 * 0.25;
  for (std::size_t a = 0; a < 3; ++a) {
    const int d = static_cast<int>(a);
    const double area = volume / (static_cast<double>(shape[d]) * problem.spacing_mm[d]);
    EXPECT_NEAR(found.conductivity_W_per_mK[a][1], -1000 * single.inflow_W[a][0] / area, 1e-9);
  }
  double worst = 0;
  for (std::size_t i = 0; i < single.temperature_K.size(); ++i)
    worst = std::max(worst, std::abs(single.temperature_K[i] - static_cast<double>(found.temperature_K[1][i])));
  EXPECT_LT(worst, 1e-5);
}

// Oracle: islands in a void do not conduct in any direction, for any surroundings.
TEST(heat_tensor, islands_conduct_nothing) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  const image islands({9, 8, 7}, [](index3 p) { return p.z % 3 == 1 && p.y % 4 == 1 && p.x % 3 == 1 ? 1 : 0; });
  const auto table = conductivities({2});
  for (const auto kind : {surroundings::periodic, surroundings::uniform_gradient}) {
    const auto found =
        physics::effective_conductivity(make_problem(comm, islands, table, {1, 1, 1}, axis::z), kind, tight, null_log());
    EXPECT_EQ(matrix_of(found).norm(), 0);
    EXPECT_EQ(found.principal_W_per_mK, (std::array<double, 3>{}));
    EXPECT_TRUE(found.certificate[2].converged);
  }
}

// Oracle: determined by hand. Two voxels that touch through the periodic face do not conduct along it, and their power is
// only rounding. Between plates, each voxel would be a dead end.
TEST(heat_tensor, dead_ends_are_solved_to_rounding) {
  const ranks_with_a_plane comm(9);
  if (comm == MPI_COMM_NULL) return;
  const image pair({9, 3, 7}, [](index3 p) { return (p.z == 0 || p.z == 8) && p.y == 1 && p.x == 3 ? 1 : 0; });
  const auto table = conductivities({0.6});
  for (const auto kind : {surroundings::periodic, surroundings::uniform_gradient}) {
    const auto found = physics::effective_conductivity(make_problem(comm, pair, table, {1, 0.2, 0.1}, axis::z), kind,
                                                       {1e-9, 100}, null_log());
    EXPECT_LT(matrix_of(found).norm(), 1e-12);
    for (const auto& certificate : found.certificate) EXPECT_TRUE(certificate.converged);
    EXPECT_LE(found.certificate[0].iterations, 10);
  }
}

// The tensor of a periodic image with voxels of 1 mm, by a dense factorisation.
Eigen::Matrix3d dense_tensor(const image& img, const std::vector<double>& k) {
  const index3 n = img.shape;
  const auto number = [&](index3 p) { return static_cast<Eigen::Index>((p.z * n.y + p.y) * n.x + p.x); };
  const auto count = static_cast<Eigen::Index>(n.volume());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(count, count);
  Eigen::MatrixXd load = Eigen::MatrixXd::Zero(count, 3);
  Eigen::Matrix3d energy = Eigen::Matrix3d::Zero();
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y)
      for (std::int64_t x = 0; x < n.x; ++x)
        for (int a = 0; a < 3; ++a) {
          const index3 p{z, y, x};
          index3 q = p;
          q[a] = (p[a] + 1) % n[a];
          if (img.at(p) == 0 || img.at(q) == 0) continue;
          const double g = 2 / (1 / k[img.at(p) - 1U] + 1 / k[img.at(q) - 1U]);
          const double rise = q[a] <= p[a] ? static_cast<double>(n[a]) : 0;
          const Eigen::Index i = number(p), j = number(q);
          matrix(i, i) += g, matrix(j, j) += g;
          matrix(i, j) -= g, matrix(j, i) -= g;
          load(i, a) += g * rise, load(j, a) -= g * rise;
          energy(a, a) += g * rise * rise;
        }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(matrix);
  return (energy - load.transpose() * solver.solve(load)) / static_cast<double>(n.volume());
}

// Oracle: a dense factorisation, and topology. By topology, components of the tensor that consist only of rounding are
// exactly zero.
TEST(heat_tensor, hardly_connected_phases_have_the_tensor_of_a_dense_solution) {
  const index3 shape{5, 6, 4};
  const ranks_with_a_plane comm(shape.z);
  if (comm == MPI_COMM_NULL) return;
  int some = 0, none = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    const auto chance = [&] { return static_cast<double>(random()) / 4294967296.0; };
    const double share = 0.25 + 0.02 * (seed % 8);
    const image img(shape, [&](index3) { return chance() < share ? (chance() < 0.5 ? 1 : 2) : 0; });
    const std::vector<double> k{1, std::pow(10.0, static_cast<double>(seed % 7) - 3)};
    const auto found = tensor(comm, img, k, {1, 1, 1}, surroundings::periodic, {1e-10, 2000});
    const Eigen::Matrix3d expected = dense_tensor(img, k);
    const double most = std::max(k[0], k[1]);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(found(i, j), expected(i, j), 1e-9 * most) << seed;
        if (std::abs(expected(i, i)) < 1e-11 * most || std::abs(expected(j, j)) < 1e-11 * most) {
          EXPECT_EQ(found(i, j), 0) << seed;
        }
      }
    for (int i = 0; i < 3; ++i) ++(found(i, i) > 0 ? some : none);
  }
  EXPECT_GT(some, 5);
  EXPECT_GT(none, 5);
}

// Oracle: determined by hand. Along z, the two faces are solid at different places, so that they are not connected. A bar
// along y conducts 1/64.
TEST(heat_tensor, an_axis_without_periodic_partners_conducts_nothing) {
  const ranks_with_a_plane comm(8);
  if (comm == MPI_COMM_NULL) return;
  const image cross({8, 8, 8}, [](index3 p) {
    if (p.z == 7 && p.x == 5 && p.y == 5) return 1;
    return p.x == 3 && ((p.y == 3 && p.z < 7) || p.z == 4) ? 1 : 0;
  });
  const auto table = conductivities({1});
  const auto found = physics::effective_conductivity(make_problem(comm, cross, table, {1, 1, 1}, axis::z),
                                                     surroundings::periodic, tight, null_log());
  EXPECT_EQ(found.periodic_faces[0].both, 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(matrix_of(found)(i, j), i == 1 && j == 1 ? 1.0 / 64 : 0, i == 1 && j == 1 ? 1e-10 : 0);
}

}  // namespace heat_tensor_test
