#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/physics/flow/solver/transient/flow_stepper.hpp>
#include <osteon/physics/flow/solver/transient/pressure_projection.hpp>
#include <random>

#include "physics/flow_openings.hpp"

namespace flow_box_test {

using namespace osteon;
using namespace flow_images;
using kernel::line_end;
using kernel::line_ends;

constexpr line_ends all_ends[] = {{line_end::mirror, line_end::mirror},
                                  {line_end::mirror, line_end::zero},
                                  {line_end::zero, line_end::mirror},
                                  {line_end::zero, line_end::zero},
                                  {line_end::other_end, line_end::other_end}};

// A box whose planes are distributed unevenly. There are gaps between its rows.
numerics::poisson_box make_box(MPI_Comm comm, index3 shape, std::array<line_ends, 3> ends, std::array<double, 3> weight) {
  const int ranks = comm::size(comm), rank = comm::rank(comm);
  numerics::poisson_box box{comm, shape, {}, ends, weight, {}};
  for (int r = 0; r < ranks; ++r)  // the first rank has one plane
    box.planes.push_back(r == 0 ? 0 : 1 + (shape.z - 1) * (r - 1) / (ranks - 1));
  box.planes.push_back(shape.z);
  for (std::int64_t n = 0;
       n < (box.planes[static_cast<std::size_t>(rank) + 1] - box.planes[static_cast<std::size_t>(rank)]) * shape.y; ++n)
    box.row.push_back(static_cast<std::int32_t>(n * (shape.x + 1)));
  return box;
}

double value_at(const std::vector<double>& x, index3 shape, std::array<line_ends, 3> ends, index3 p) {
  double sign = 1;
  for (int a = 0; a < 3; ++a) {
    const line_ends e = ends[static_cast<std::size_t>(a)];
    const bool is_low = p[a] < 0, is_high = p[a] >= shape[a];
    if (!is_low && !is_high) continue;
    const line_end end = is_low ? e.low : e.high;
    if (end == line_end::zero) sign = -sign;
    if (end == line_end::other_end)
      p[a] = is_low ? shape[a] - 1 : 0;
    else
      p[a] = is_low ? 0 : shape[a] - 1;
  }
  return sign * x[static_cast<std::size_t>((p.z * shape.y + p.y) * shape.x + p.x)];
}

// Largest difference between the solution of box_poisson and a random field. The right-hand side is the operator, by its
// definition, of the random field.
double distance(MPI_Comm comm, index3 shape, std::array<line_ends, 3> ends, std::array<double, 3> weight) {
  std::mt19937 draw(11);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> x(static_cast<std::size_t>(shape.volume()));
  double sum = 0;
  for (double& v : x) sum += v = value(draw);
  bool is_free = true;
  for (const line_ends& e : ends) is_free = is_free && e.low != line_end::zero && e.high != line_end::zero;
  if (is_free)
    for (double& v : x) v -= sum / static_cast<double>(x.size());
  const numerics::poisson_box box = make_box(comm, shape, ends, weight);
  const auto rank = static_cast<std::size_t>(comm::rank(comm));
  std::vector<double> f(static_cast<std::size_t>((box.planes[rank + 1] - box.planes[rank]) * shape.y * (shape.x + 1)), -7);
  const auto visit = [&](const auto& body) {
    for (std::int64_t z = box.planes[rank]; z < box.planes[rank + 1]; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t c = 0; c < shape.x; ++c)
          body(index3{z, y, c},
               f[static_cast<std::size_t>(box.row[static_cast<std::size_t>((z - box.planes[rank]) * shape.y + y)] + c)]);
  };
  visit([&](index3 p, double& right) {
    right = 0;
    for (int a = 0; a < 3; ++a) {
      index3 below = p, above = p;
      --below[a], ++above[a];
      right += weight[static_cast<std::size_t>(a)] *
               (2 * value_at(x, shape, ends, p) - value_at(x, shape, ends, below) - value_at(x, shape, ends, above));
    }
  });
  numerics::box_poisson(box).solve(f.data(), f.data());
  std::array<double, 2> mean{};
  visit([&](index3, double& v) { mean[0] += v, mean[1] += 1; });
  comm::all_reduce(comm, mean.data(), mean.size(), MPI_SUM);
  const double shift = is_free ? mean[0] / mean[1] : 0;
  double worst = 0;
  visit([&](index3 p, double& v) { worst = std::max(worst, std::abs(v - shift - value_at(x, shape, ends, p))); });
  for (std::size_t n = 0; n < f.size(); ++n)  // gaps must be unchanged
    if (static_cast<std::int64_t>(n) % (shape.x + 1) == shape.x) worst = std::max(worst, std::abs(f[n] + 7));
  comm::all_reduce(comm, &worst, 1, MPI_MAX);
  return worst;
}

// Oracle: the definition of the operator, for all combinations of ends, and for lengths that are no powers of two.
TEST(flow_box, poisson_is_solved_exactly_in_any_box) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  for (const line_ends z : all_ends)
    for (const line_ends y : all_ends)
      for (const line_ends x : all_ends) {
        EXPECT_LT(distance(comm, {6, 5, 7}, {z, y, x}, {1, 0.7, 1.6}), 1e-13);
        EXPECT_LT(distance(comm, {17, 6, 15}, {z, y, x}, {0.5, 2, 1}), 1e-12);
      }
  EXPECT_LT(distance(comm, {31, 32, 33}, {all_ends[0], all_ends[0], all_ends[4]}, {1, 1, 1}), 1e-12);
  EXPECT_LT(distance(comm, {8, 1, 1}, {all_ends[3], all_ends[0], all_ends[4]}, {1, 1, 1}), 1e-13);
  EXPECT_LT(distance(comm, {128, 3, 2}, {all_ends[0], all_ends[0], all_ends[0]}, {1, 1, 1}), 1e-11);
}

// Oracle: an eigenfunction, which does not depend on the rounding of the operator. The eigenfunctions are cosines of half
// and of quarter waves.
TEST(flow_box, poisson_of_an_eigenfunction_is_its_eigenvalue) {
  const ranks_with_a_plane comm(15);
  if (comm == MPI_COMM_NULL) return;
  const index3 shape{15, 17, 31};
  const numerics::poisson_box box = make_box(comm, shape, {all_ends[0], all_ends[1], all_ends[4]}, {1, 0.5, 2});
  const auto rank = static_cast<std::size_t>(comm::rank(comm));
  const double pi = std::numbers::pi;
  const auto squared = [](double s) { return 4 * s * s; };
  const double eigenvalue =
      squared(std::sin(pi * 3 / 30)) + 0.5 * squared(std::sin(pi * 5 / 68)) + 2 * squared(std::sin(pi * 2 / 31));
  std::vector<double> f(static_cast<std::size_t>((box.planes[rank + 1] - box.planes[rank]) * 17 * 32));
  double worst = 0;
  for (const bool sets : {true, false}) {
    for (std::int64_t z = box.planes[rank]; z < box.planes[rank + 1]; ++z)
      for (std::int64_t y = 0; y < 17; ++y)
        for (std::int64_t x = 0; x < 31; ++x) {
          const double exact = std::cos(pi * 3 * static_cast<double>(2 * z + 1) / 30) *
                               std::cos(pi * 5 * static_cast<double>(2 * y + 1) / 68) *
                               std::sin(2 * pi * 2 * static_cast<double>(x) / 31 + 0.3);
          double& v = f[static_cast<std::size_t>(box.row[static_cast<std::size_t>((z - box.planes[rank]) * 17 + y)] + x)];
          if (sets)
            v = eigenvalue * exact;
          else
            worst = std::max(worst, std::abs(v - exact));
        }
    if (sets) numerics::box_poisson(box).solve(f.data(), f.data());
  }
  EXPECT_LT(worst, 1e-12);
}

// A box of fluid whose velocities do not conserve mass.
struct stirred_box {
  physics::through_problem problem;
  physics::open_flow_cells open;
  std::vector<double> u;
  stirred_box(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries, std::array<bool, 3> periodic = {})
      : problem(make(comm, img, std::move(boundaries), periodic)),
        open(physics::make_open_flow_cells(
            problem, std::vector<bool>(problem.cells.runs().size(), true),
            is_free() ? std::vector<std::int32_t>(problem.cells.runs().size(), 0) : std::vector<std::int32_t>{},
            is_free())) {
    const auto n = static_cast<std::size_t>(open.cells.stride());
    u.assign(3 * n, 0);
    for (const voxel::run& r : open.cells.numbers.runs())
      for (std::int32_t i = r.first; i < r.first + r.length; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
          const index3 p = problem.where.owned.begin + index3{r.z, r.y, r.x + i - r.first};
          if (open.cells.friction[c][static_cast<std::size_t>(i)] != 0)
            u[c * n + static_cast<std::size_t>(i)] =
                std::sin(static_cast<double>(3 * p.z + 7 * p.y * p.x + 5 * p.x) + static_cast<double>(c));
        }
    for (std::size_t c = 0; c < 3; ++c) open.cells.grid.links.exchange(u.data() + c * n);
  }
  static physics::through_problem make(MPI_Comm comm, const image& img, std::vector<flow_boundary> boundaries,
                                       std::array<bool, 3> periodic) {
    auto problem = make_through(comm, img, std::move(boundaries), {1, 0.8, 1.25});
    problem.periodic = periodic;
    return problem;
  }
  bool is_free() const {
    for (const flow_boundary& b : problem.boundaries)
      if (b.gives_pressure()) return false;
    return true;
  }
};

const image box_of(index3 shape) {
  return image(shape, [](index3) { return 1; });
}

// Oracle: the other solver, to its tolerance. Each axis in turn has faces with given pressure, walls, planes of symmetry,
// given velocities, and periodic faces.
TEST(flow_box, transforms_and_multigrid_project_alike) {
  const ranks_with_a_plane comm(7);
  if (comm == MPI_COMM_NULL) return;
  struct {
    std::vector<flow_boundary> boundaries;
    std::array<bool, 3> periodic;
  } const cases[] = {
      {{}, {}},
      {{on(axis::z, false, face_flow::velocity, 1), on(axis::z, true, face_flow::outlet)}, {}},
      {{on(axis::y, true, face_flow::pressure, 1), on(axis::y, false, face_flow::pressure),
        on(axis::x, true, face_flow::slip)},
       {true, false, false}},
      {{on(axis::x, true, face_flow::outlet), on(axis::x, false, face_flow::pressure),
        on(axis::z, false, face_flow::pressure), on(axis::y, true, face_flow::velocity, 1)},
       {}},
      {{}, {true, true, true}},
  };
  for (const auto& [boundaries, periodic] : cases) {
    const stirred_box box(comm, box_of({7, 6, 9}), boundaries, periodic);
    ASSERT_TRUE(physics::find_fluid_box(box.open));
    physics::pressure_projection direct(box.open), iterates(box.open, physics::pressure_method::multigrid);
    EXPECT_TRUE(direct.is_direct());
    EXPECT_FALSE(iterates.is_direct());
    std::array u{box.u, box.u};
    std::array<std::vector<double>, 2> d;
    for (auto& v : d) v.assign(static_cast<std::size_t>(box.open.cells.stride()), 0);
    const auto exact = direct.project(u[0].data(), d[0].data(), {1e-12, 1e-12, 500}, {});
    const auto near = iterates.project(u[1].data(), d[1].data(), {1e-10, 1e-10, 500}, {});
    EXPECT_TRUE(exact.converged);
    EXPECT_EQ(exact.iterations, 1);
    EXPECT_LT(exact.divergence, 1e-13);
    EXPECT_TRUE(near.converged);
    double worst = 0;
    const auto n = static_cast<std::size_t>(box.open.cells.stride());
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < static_cast<std::size_t>(box.open.cells.grid.owned); ++i)
        worst = std::max(worst, std::abs(u[0][c * n + i] - u[1][c * n + i]));
    for (std::size_t i = 0; i < static_cast<std::size_t>(box.open.cells.grid.owned); ++i)
      worst = std::max(worst, std::abs(d[0][i] - d[1][i]));
    EXPECT_LT(worst, 1e-8);
  }
}

TEST(flow_box, incomplete_boxes_are_not_detected_as_boxes) {
  const ranks_with_a_plane comm(6);
  if (comm == MPI_COMM_NULL) return;
  const image holed({6, 5, 4}, [](index3 p) { return p.z != 3 || p.y != 2 || p.x != 1; });
  EXPECT_FALSE(physics::find_fluid_box(stirred_box(comm, holed, {}).open));
  flow_boundary half = on(axis::y, true, face_flow::outlet);
  half.high_mm.x = 2;
  EXPECT_FALSE(physics::find_fluid_box(stirred_box(comm, box_of({6, 5, 4}), {half}).open));
  // Two given halves of a face are equal to a whole face.
  flow_boundary other = on(axis::y, true, face_flow::pressure, 1);
  EXPECT_TRUE(physics::find_fluid_box(stirred_box(comm, box_of({6, 5, 4}), {half, other}).open));
}

}  // namespace flow_box_test
