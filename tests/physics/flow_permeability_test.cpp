#include <gtest/gtest.h>
#include <omp.h>

#include <Eigen/Dense>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/numerics/operators/connected_parts.hpp>
#include <osteon/physics/flow/solver/stokes/flow_solver.hpp>
#include <osteon/physics/flow/solver/transient/mass_keeping.hpp>
#include <random>

#include "physics/flow_images.hpp"

namespace flow_permeability_test {

using namespace osteon;
using namespace flow_images;
using physics::flow_surroundings;

// The assembled problem on a periodic box. All faces between fluid voxels are assembled one by one, and the solution is by
// dense least squares.
// @return mean velocities (z, y, x) under a unit gradient along each axis [mm2]
Eigen::Matrix3d dense_reference(const image& img, vector3 h) {
  const index3 n = img.shape;
  const auto wrapped = [&](index3 p) { return index3{(p.z + n.z) % n.z, (p.y + n.y) % n.y, (p.x + n.x) % n.x}; };
  const auto is_fluid = [&](index3 p) { return img.at(wrapped(p)) != 0; };
  const auto number = [&](int c, index3 p) {
    const index3 q = wrapped(p);
    return c * n.volume() + (q.z * n.y + q.y) * n.x + q.x;
  };
  const auto moved = [](index3 p, int axis, std::int64_t by) {
    p[axis] += by;
    return p;
  };
  const auto is_face = [&](int d, index3 p) { return is_fluid(p) && is_fluid(moved(p, d, -1)); };
  const std::int64_t size = 4 * n.volume();
  Eigen::MatrixXd k = Eigen::MatrixXd::Zero(size, size);
  Eigen::MatrixXd force = Eigen::MatrixXd::Zero(size, 3);
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y)
      for (std::int64_t x = 0; x < n.x; ++x)
        for (int d = 0; d < 3; ++d) {
          const index3 p{z, y, x}, low = moved(p, d, -1);
          if (!is_face(d, p)) continue;
          const auto row = number(d, p);
          force(row, d) = 1;
          for (int e = 0; e < 3; ++e)
            for (const std::int64_t step : {-1, 1}) {
              const index3 q = moved(p, e, step);
              const double w = 1 / (h[e] * h[e]);
              const int solid = !is_fluid(q) + !is_fluid(moved(low, e, step));
              k(row, row) += w * (e != d && solid == 2 ? 2 : 1);
              if (is_face(d, q)) k(row, number(d, q)) -= w;
            }
          for (const auto& [cell, sign] : {std::pair(p, 1), std::pair(low, -1)}) {
            k(row, number(3, cell)) += sign / h[d];
            k(number(3, cell), row) += sign / h[d];
          }
        }
  const Eigen::MatrixXd answer = k.completeOrthogonalDecomposition().solve(force);
  Eigen::Matrix3d mean;
  for (int d = 0; d < 3; ++d)
    for (int f = 0; f < 3; ++f)
      mean(d, f) = answer.col(f).segment(d * n.volume(), n.volume()).sum() / static_cast<double>(n.volume());
  return mean;
}

image random_pores(index3 shape, unsigned seed, double porosity) {
  std::mt19937 random(seed);
  return {shape, [&](index3) { return static_cast<double>(random()) < porosity * 4294967296.0; }};
}

// The image and its mirror images behind the high faces of the given axes.
image doubled(const image& img, std::array<bool, 3> along) {
  index3 shape = img.shape;
  for (int a = 0; a < 3; ++a)
    if (along[static_cast<std::size_t>(a)]) shape[a] *= 2;
  return {shape, [&](index3 p) {
            for (int a = 0; a < 3; ++a) p[a] = std::min(p[a], 2 * img.shape[a] - 1 - p[a]);
            return img.at(p);
          }};
}

// Oracle: on this grid, the profile of a slit is the parabola up to a constant. The open area has k = (g^2 + 2) / 12.
TEST(flow_permeability, of_a_slit_has_the_exact_value_of_the_grid) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  for (const std::int64_t g : {4, 5, 10})
    for (const axis across : {axis::z, axis::y, axis::x})
      for (const axis along : {axis::z, axis::y, axis::x}) {
        if (along == across) continue;
        index3 shape{5, 5, 5};
        shape[static_cast<int>(across)] = g + 1;
        const image img(shape, [&](index3 p) { return p[static_cast<int>(across)] != 0; });
        const double exact = static_cast<double>(g * g + 2) / 12 * static_cast<double>(g) / static_cast<double>(g + 1);
        const auto answer = solve_one(comm, img, along, flow_surroundings::periodic);
        EXPECT_NEAR(answer.permeability_mm2, exact, 1e-9 * exact) << g;
        EXPECT_NEAR(answer.from_flux_mm2, exact, 1e-7 * exact) << g;
      }
}

// Oracle: the parabola between closed sides. The series of the square duct yields k = 0.0351443 a^2, and 0.96 % more on 20
// voxels.
TEST(flow_permeability, of_channels_between_closed_sides) {
  const ranks_with_a_plane comm(4);
  if (comm == MPI_COMM_NULL) return;
  const auto mirrored_slit = [](index3 shape) { return image(shape, [](index3 p) { return p.y != 0; }); };
  EXPECT_NEAR(solve_one(comm, mirrored_slit({4, 8, 3}), axis::z, flow_surroundings::mirrored).permeability_mm2,
              (4 * 49 + 2) / 12. * 7 / 8, 1e-8);  // with its mirror image, the channel is 14 voxels wide
  const image duct({4, 20, 20}, [](index3) { return 1; });
  for (const axis along : {axis::z}) {
    const auto answer = solve_one(comm, duct, along, flow_surroundings::closed);
    EXPECT_NEAR(answer.permeability_mm2 / 400, 0.0351443, 0.0097 * 0.0351443);
    EXPECT_GT(answer.permeability_mm2 / 400, 0.0351443);
  }
}

// Oracle: the same image with the estimated scale. With a scale that is too small, conjugate gradients have no inner
// product.
TEST(flow_permeability, is_found_from_too_small_a_scale_of_the_preconditioner) {
  const ranks_with_a_plane comm(12);
  if (comm == MPI_COMM_NULL) return;
  const image ball({12, 12, 12}, [](index3 p) {
    return std::hypot(static_cast<double>(p.z) - 5.5, static_cast<double>(p.y) - 5.5, static_cast<double>(p.x) - 5.5) > 4.5;
  });
  const auto problem = make_problem(comm, ball, {axis::z}, flow_surroundings::periodic);
  const auto cells = physics::make_flow_cells(problem, std::vector<bool>(problem.cells.runs().size(), true), 0);
  std::vector<physics::flow_direction> found;
  std::vector<double> scales;
  for (const double scale : {0.0, 0.6}) {
    physics::flow_solver solver(cells, scale);
    physics::flow_direction& answer = found.emplace_back();
    answer.along = axis::z;
    solver.solve({1e-6, 1e-6, 1000, false}, answer, null_log());
    scales.push_back(solver.velocity_scale());
    EXPECT_TRUE(answer.certificate.converged) << scale;
  }
  EXPECT_GT(scales[0], 1);
  EXPECT_GT(scales[1], 0.61);
  EXPECT_NEAR(found[1].permeability_mm2, found[0].permeability_mm2, 1e-6 * found[0].permeability_mm2);
}

// Oracle: the plainly assembled problem.
TEST(flow_permeability, equals_a_dense_solution_on_random_pores) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  for (const unsigned seed : {1U, 2U, 3U})
    for (const vector3 h : {vector3{1, 1, 1}, vector3{0.02, 0.03, 0.015}}) {
      const image img = random_pores({5, 6, 5}, seed, 0.7);
      const Eigen::Matrix3d exact = dense_reference(img, h);
      const auto answer = physics::solve_permeability(
          make_problem(comm, img, {axis::x, axis::z, axis::y}, flow_surroundings::periodic, h), tight, null_log());
      const double scale = exact.trace();
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          EXPECT_NEAR(answer.tensor_mm2[i][j], exact(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                      1e-8 * scale)
              << seed << " " << i << j;
      for (const physics::flow_direction& d : answer.directions) {
        EXPECT_TRUE(d.certificate.converged);
        const auto a = static_cast<std::size_t>(d.along);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(d.column_mm2[i], answer.tensor_mm2[i][a], 1e-6 * scale);
      }
      EXPECT_LT(answer.asymmetry, 1e-6);
    }
}

// Oracle: a mirrored image has the period of two of its lengths. By symmetry, the flow is normal to the faces.
TEST(flow_permeability, of_a_mirrored_sample_is_that_of_the_sample_and_its_images) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  for (const axis along : {axis::z, axis::y, axis::x})
    for (const vector3 h : {vector3{1, 1, 1}, vector3{2, 1, 1.5}}) {
      const image img = random_pores({5, 6, 7}, 4, 0.75);
      const auto one = solve_one(comm, img, along, flow_surroundings::mirrored, tight, h);
      const auto eight = solve_one(comm, doubled(img, {true, true, true}), along, flow_surroundings::periodic, tight, h);
      EXPECT_TRUE(one.percolates);
      EXPECT_NEAR(one.permeability_mm2, eight.permeability_mm2, 1e-8 * eight.permeability_mm2);
    }
}

// Oracle: closed sides are equivalent to a layer of solid. A mirrored image is periodic along the flow.
TEST(flow_permeability, between_closed_sides_is_that_in_a_frame_of_solid) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  for (int a = 0; a < 3; ++a) {
    const auto along = static_cast<axis>(a);
    const image img = random_pores({5, 6, 7}, 5, 0.75);
    std::array<bool, 3> twice{};
    twice[static_cast<std::size_t>(a)] = true;
    const image two = doubled(img, twice);
    index3 shape = two.shape;
    for (int e = 0; e < 3; ++e) shape[e] += e != a;
    const image framed(shape, [&](index3 p) {
      for (int e = 0; e < 3; ++e)
        if (e != a && p[e] == two.shape[e]) return 0;
      return static_cast<int>(two.at(p));
    });
    const auto one = solve_one(comm, img, along, flow_surroundings::closed);
    const auto other = solve_one(comm, framed, along, flow_surroundings::periodic);
    const double area = static_cast<double>(shape.volume()) / static_cast<double>(two.shape.volume());
    EXPECT_NEAR(one.permeability_mm2, other.permeability_mm2 * area, 1e-8 * one.permeability_mm2);
  }
}

// Invariants: the results are equal for any ranks and threads and for any orientation of the image. During the iterations,
// the results are inside the bounds.
TEST(flow_permeability, does_not_depend_on_ranks_threads_or_the_order_of_axes) {
  const image img = heat_images::random_porous({12, 14, 16}, 3, 1);
  const auto together = solve_one(MPI_COMM_WORLD, img, axis::y, flow_surroundings::periodic);
  const auto alone = solve_one(MPI_COMM_SELF, img, axis::y, flow_surroundings::periodic);
  EXPECT_NEAR(together.permeability_mm2, alone.permeability_mm2, 1e-8 * alone.permeability_mm2);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(2);
  const auto threaded = solve_one(MPI_COMM_SELF, img, axis::y, flow_surroundings::periodic);
  omp_set_num_threads(1);
  const auto single = solve_one(MPI_COMM_SELF, img, axis::y, flow_surroundings::periodic);
  omp_set_num_threads(threads);
  EXPECT_EQ(threaded.permeability_mm2, single.permeability_mm2);
  EXPECT_EQ(threaded.velocity_mm_per_s, single.velocity_mm_per_s);

  const image turned({16, 12, 14}, [&](index3 p) { return img.at({p.y, p.x, p.z}); });
  const auto other = solve_one(MPI_COMM_WORLD, turned, axis::x, flow_surroundings::periodic);
  EXPECT_NEAR(other.permeability_mm2, alone.permeability_mm2, 1e-8 * alone.permeability_mm2);

  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
    const auto loose = solve_one(MPI_COMM_WORLD, img, axis::y, flow_surroundings::periodic, {tolerance, 1, 300, false});
    EXPECT_LE(loose.low_mm2, alone.permeability_mm2 * (1 + 1e-8));
    EXPECT_GE(loose.high_mm2, alone.permeability_mm2 * (1 - 1e-8));
    EXPECT_LE(loose.high_mm2 - loose.low_mm2, tolerance * loose.permeability_mm2);
    EXPECT_NEAR(loose.from_flux_mm2, alone.permeability_mm2, 2 * tolerance * alone.permeability_mm2);
    EXPECT_NEAR(loose.permeability_mm2, alone.permeability_mm2, tolerance * alone.permeability_mm2);
  }
}

// Invariant: replacing fluid by solid never reduces the resistance, because the dissipation is a minimum.
TEST(flow_permeability, falls_when_solid_grows) {
  std::mt19937 random(6);
  double before = 1e30;
  image img({8, 8, 8}, [](index3 p) { return p.z != 0 || p.y != 0; });
  for (int step = 0; step < 5; ++step) {
    const auto answer = solve_one(MPI_COMM_SELF, img, axis::x, flow_surroundings::periodic);
    EXPECT_LT(answer.permeability_mm2, before);
    before = answer.permeability_mm2;
    for (int n = 0; n < 20; ++n) img.voxels[random() % img.voxels.size()] = 0;
  }
}

// u . The product A u for velocities on the low faces of a periodic box, computed by the rows of friction one by one, and
// the sum of the product along an axis. @param u velocities, shape (voxels, 3)
struct plain_sums {
  double friction = 0, flux = 0;
};
plain_sums sums_of_faces(const image& img, vector3 h, int along, const std::vector<double>& u) {
  const index3 n = img.shape;
  const auto wrapped = [&](index3 p) { return index3{(p.z + n.z) % n.z, (p.y + n.y) % n.y, (p.x + n.x) % n.x}; };
  const auto moved = [](index3 p, int axis, std::int64_t by) {
    p[axis] += by;
    return p;
  };
  const auto is_fluid = [&](index3 p) { return img.at(wrapped(p)) != 0; };
  const auto is_face = [&](int d, index3 p) { return is_fluid(p) && is_fluid(moved(p, d, -1)); };
  const auto velocity = [&](int d, index3 p) {
    const index3 q = wrapped(p);
    return u[static_cast<std::size_t>(3 * ((q.z * n.y + q.y) * n.x + q.x) + d)];
  };
  plain_sums sums;
  for (std::int64_t z = 0; z < n.z; ++z)
    for (std::int64_t y = 0; y < n.y; ++y)
      for (std::int64_t x = 0; x < n.x; ++x)
        for (int d = 0; d < 3; ++d) {
          const index3 p{z, y, x}, low = moved(p, d, -1);
          if (!is_face(d, p)) continue;
          double row = 0;
          for (int e = 0; e < 3; ++e)
            for (const std::int64_t step : {-1, 1}) {
              const index3 q = moved(p, e, step);
              const int solid = !is_fluid(q) + !is_fluid(moved(low, e, step));
              row += (e != d && solid == 2 ? 2 : 1) * velocity(d, p) / (h[e] * h[e]);
              if (is_face(d, q)) row -= velocity(d, q) / (h[e] * h[e]);
            }
          sums.friction += velocity(d, p) * row;
          if (d == along) sums.flux += velocity(d, p);
        }
  return sums;
}

// Oracle: the energy identity. The mean velocity and the power of friction yield one permeability. The test compares the
// values of the solver for all boundary conditions with plain sums over the velocities of the faces.
TEST(flow_permeability, from_flux_is_that_from_dissipation) {
  const image ball({10, 10, 10}, [](index3 p) {
    return std::hypot(static_cast<double>(p.z) - 4.5, static_cast<double>(p.y) - 4.5, static_cast<double>(p.x) - 4.5) > 4.2;
  });
  const image slit({4, 7, 4}, [](index3 p) { return p.y != 0; });
  const image crossing({8, 9, 7}, [](index3 p) { return (p.z < 3) + (p.y > 4) + (p.x == 2) >= 1; });
  const std::vector<std::pair<const char*, image>> media{{"ball", ball},
                                                         {"slit", slit},
                                                         {"crossing sheets", crossing},
                                                         {"open pores", random_pores({9, 8, 10}, 2, 0.8)},
                                                         {"tight pores", random_pores({10, 9, 8}, 3, 0.6)}};
  int solved = 0;
  for (const auto& [name, img] : media)
    for (const vector3 h : {vector3{1, 1, 1}, vector3{0.02, 0.03, 0.025}})
      for (const axis along : {axis::z, axis::x})
        for (const auto around : {flow_surroundings::periodic, flow_surroundings::mirrored, flow_surroundings::closed}) {
          auto problem = make_problem(MPI_COMM_SELF, img, {along}, around, h);
          physics::flow_options how{1e-9, 1e-9, 500, false};
          if (around == flow_surroundings::periodic) how.carry = physics::keep_mass;
          const auto all = physics::solve_permeability(problem, how, null_log());
          const auto& answer = all.directions[0];
          if (!answer.percolates) continue;
          ++solved;
          const double k = answer.permeability_mm2;
          EXPECT_TRUE(answer.certificate.converged) << name;
          EXPECT_NEAR(answer.from_flux_mm2, answer.from_dissipation_mm2, 1e-9 * k) << name;
          EXPECT_NEAR(answer.from_flux_mm2, k, 1e-9 * k) << name;
          if (around != flow_surroundings::periodic) continue;
          std::vector<double> u(static_cast<std::size_t>(3 * img.shape.volume()));
          for (const voxel::run& r : problem.cells.runs())
            for (std::int32_t n = 0; n < r.length; ++n)
              for (std::size_t c = 0; c < 3; ++c)
                u[static_cast<std::size_t>(3 * ((r.z * img.shape.y + r.y) * img.shape.x + r.x + n)) + c] =
                    answer.face_velocity_mm_per_s[6 * static_cast<std::size_t>(r.first + n) + 2 * c];
          const auto a = static_cast<int>(along);
          const plain_sums sums = sums_of_faces(img, h, a, u);
          const double mu = problem.viscosity_Pa_s, voxels = static_cast<double>(img.shape.volume());
          const double gradient = problem.pressure_drop_Pa / (static_cast<double>(img.shape[a]) * h[a]);
          EXPECT_NEAR(mu / gradient * sums.flux / voxels, k, 1e-7 * k) << name;
          EXPECT_NEAR(mu / gradient * mu / gradient * sums.friction / voxels, k, 1e-7 * k) << name;
        }
  EXPECT_GT(solved, 40);
}

// Invariants: the inflow of each voxel equals its outflow. The test also checks the power divided by the gradient, and the
// pressure drop.
TEST(flow_permeability, fields_agree_with_the_permeability) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  const image img = random_pores({5, 6, 7}, 5, 0.75);
  for (const auto around : {flow_surroundings::periodic, flow_surroundings::mirrored, flow_surroundings::closed}) {
    auto problem = make_problem(comm, img, {axis::z}, around, {0.1, 0.1, 0.1});
    problem.pressure_drop_Pa = 30;
    problem.viscosity_Pa_s = 2e-3;
    const auto all = physics::solve_permeability(problem, tight, null_log());
    const auto& answer = all.directions[0];
    ASSERT_EQ(answer.velocity_mm_per_s.size(), 3 * static_cast<std::size_t>(problem.cells.size()));
    ASSERT_EQ(answer.pressure_Pa.size(), static_cast<std::size_t>(problem.cells.size()));
    double flux = 0;
    for (std::size_t i = 0; i < answer.pressure_Pa.size(); ++i) flux += static_cast<double>(answer.velocity_mm_per_s[3 * i]);
    MPI_Allreduce(MPI_IN_PLACE, &flux, 1, MPI_DOUBLE, MPI_SUM, comm);
    const double gradient = 30 / (5 * 0.1);
    EXPECT_NEAR(flux / static_cast<double>(img.shape.volume()), answer.permeability_mm2 * gradient / 2e-3,
                1e-5 * answer.permeability_mm2 * gradient / 2e-3);
    EXPECT_NEAR(answer.reynolds_number, 1000e-6 * answer.mean_velocity_mm_per_s * all.hydraulic_diameter_mm / 2e-3, 1e-12);
  }
}

// Oracle: determined by hand. In a straight channel, the pressure decreases linearly.
TEST(flow_permeability, gives_pressures_from_the_drop_to_zero) {
  const ranks_with_a_plane comm(5);
  if (comm == MPI_COMM_NULL) return;
  const image duct({5, 4, 4}, [](index3) { return 1; });
  auto problem = make_problem(comm, duct, {axis::z}, flow_surroundings::closed);
  problem.pressure_drop_Pa = 30;
  const auto all = physics::solve_permeability(problem, tight, null_log());
  for (const voxel::run& r : problem.cells.runs()) {
    const auto z = static_cast<double>(problem.where.owned.begin.z + r.z);
    EXPECT_NEAR(static_cast<double>(all.directions[0].pressure_Pa[static_cast<std::size_t>(r.first)]), 30 * (4.5 - z) / 5,
                1e-4);
  }
}

// Invariant: in a periodic image, the pressure of each connected part of the fluid has zero mean. The pressure is equal on
// any number of ranks.
TEST(flow_permeability, of_a_periodic_sample_has_pressures_with_the_mean_zero_in_each_part) {
  const ranks_with_a_plane comm(12);
  if (comm == MPI_COMM_NULL) return;
  // There are two parts: pores at random below, and a winding channel above solid planes.
  const image pores = random_pores({12, 9, 9}, 11, 0.7);
  const image img({12, 9, 9}, [&](index3 p) {
    if (p.y == 5 || p.y == 8) return 0;
    return p.y > 5 ? static_cast<int>(p.x == (p.z < 6 ? 2 : 4) || (p.z % 6 == 0 && p.x >= 2 && p.x <= 4))
                   : static_cast<int>(pores.at(p));
  });
  const auto solve_on = [&](MPI_Comm ranks) {
    return physics::solve_permeability(make_problem(ranks, img, {axis::z, axis::x}, flow_surroundings::periodic), tight,
                                       null_log());
  };
  const auto mine = make_problem(comm, img, {axis::z}, flow_surroundings::periodic);
  const auto whole = make_problem(MPI_COMM_SELF, img, {axis::z}, flow_surroundings::periodic);
  const auto of_all = solve_on(comm), alone = solve_on(MPI_COMM_SELF);
  const numerics::numbered_parts parts = numerics::number_flow_parts(whole.where, whole.cells, {true, true, true});
  for (std::size_t d = 0; d < 2; ++d) {
    const std::vector<float>& p = alone.directions[d].pressure_Pa;
    float highest = 0;
    for (const float v : p) highest = std::max(highest, std::abs(v));
    EXPECT_GT(highest, 0);
    std::vector<double> sum(static_cast<std::size_t>(parts.count));
    std::size_t run = 0;
    for (const voxel::run& r : whole.cells.runs()) {
      const auto part = static_cast<std::size_t>(parts.of_run[run++]);
      for (std::int32_t n = 0; n < r.length; ++n) sum[part] += static_cast<double>(p[static_cast<std::size_t>(r.first + n)]);
    }
    for (const double s : sum) EXPECT_NEAR(s, 0, 1e-5 * static_cast<double>(highest));
    for (const voxel::run& r : mine.cells.runs()) {
      const index3 first = mine.where.owned.begin + index3{r.z, r.y, r.x};
      const std::int32_t there = whole.cells.find(first.z, first.y, first.x);
      for (std::int32_t n = 0; n < r.length; ++n)
        EXPECT_NEAR(of_all.directions[d].pressure_Pa[static_cast<std::size_t>(r.first + n)],
                    p[static_cast<std::size_t>(there + n)], 1e-5F * highest);
    }
  }
}

}  // namespace flow_permeability_test
