#pragma once
/// @file
/// The displacements of a small model by an assembled matrix and a factorisation. The matrix uses the stiffness
/// of one brick from the solver under test, and no other part of this solver.
#include <Eigen/SparseCholesky>
#include <array>
#include <osteon/kernel/elasticity/element_stiffness.hpp>

#include "elastic_model.hpp"

namespace osteon::elastic_model {

/// Displacements of all points of the box, shape (z + 1, y + 1, x + 1, 3); zero at points without a node.
/// @param problem problem of a single rank
inline std::vector<double> direct_solution(const numerics::elasticity_problem& problem,
                                           const physics::elasticity_load& load) {
  const index3 points = problem.where.domain + index3{1, 1, 1};
  const auto number = [&](std::int64_t z, std::int64_t y, std::int64_t x) { return (z * points.y + y) * points.x + x; };
  std::vector<std::int64_t> place(static_cast<std::size_t>(problem.nodes.size()));
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) place[static_cast<std::size_t>(r.first + i)] = number(r.z, r.y, r.x + i);

  std::vector<double> u(static_cast<std::size_t>(3 * points.volume()), 0.0);
  std::vector<int> unknown(u.size(), -1);
  for (const std::int64_t node : place)
    for (int c = 0; c < 3; ++c) unknown[static_cast<std::size_t>(3 * node + c)] = 0;
  for (std::size_t i = 0; i < problem.fixed.size(); ++i) {
    const auto& p = problem.fixed[i];
    const auto at = static_cast<std::size_t>(3 * place[static_cast<std::size_t>(p.node)] + static_cast<int>(p.direction));
    unknown[at] = -1;
    u[at] = load.prescribed_mm.empty() ? p.value_mm : load.prescribed_mm[i];
  }
  int count = 0;
  for (int& n : unknown)
    if (n == 0) n = count++;

  Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
  for (const auto& f : load.forces)
    for (int c = 0; c < 3; ++c)
      if (const int row = unknown[static_cast<std::size_t>(3 * place[static_cast<std::size_t>(f.node)] + c)]; row >= 0)
        right[row] += f.force_N[c];
  std::vector<Eigen::Triplet<double>> entries;
  for (const voxel::run& r : problem.cells.runs())
    for (std::int32_t e = 0; e < r.length; ++e) {
      const voxel::material& m = (*problem.materials)[problem.material[static_cast<std::size_t>(r.first + e)]];
      const kernel::matrix24 k =
          kernel::element_stiffness(problem.spacing_mm, kernel::lame_of(m.youngs_modulus_MPa, m.poisson_ratio));
      std::array<std::size_t, 24> at;
      for (int a = 0; a < 8; ++a)
        for (int c = 0; c < 3; ++c)
          at[static_cast<std::size_t>(3 * a + c)] =
              static_cast<std::size_t>(3 * number(r.z + a / 4, r.y + a / 2 % 2, r.x + e + a % 2) + c);
      for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t j = 0; j < 24; ++j) {
          if (unknown[at[i]] < 0) continue;
          if (unknown[at[j]] < 0)
            right[unknown[at[i]]] -= k[24 * i + j] * u[at[j]];
          else
            entries.emplace_back(unknown[at[i]], unknown[at[j]], k[24 * i + j]);
        }
    }
  Eigen::SparseMatrix<double> stiffness(count, count);
  stiffness.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(stiffness);
  Eigen::VectorXd x = factors.solve(right);
  x += factors.solve(right - stiffness * x);  // one step of refinement, because a high contrast costs digits
  for (std::size_t i = 0; i < u.size(); ++i)
    if (unknown[i] >= 0) u[i] = x[unknown[i]];
  return u;
}

/// Largest difference between a solution on some ranks and the direct solution, relative to the largest displacement.
inline double largest_difference(const numerics::elasticity_problem& p, const physics::elasticity_solution& s,
                                 const std::vector<double>& direct) {
  const index3 points = p.where.domain + index3{1, 1, 1};
  double difference = 0, largest = 0;
  for (const double u : direct) largest = std::max(largest, std::abs(u));
  for (const voxel::run& r : p.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at = p.where.owned.begin + index3{r.z, r.y, r.x + i};
      const auto here = static_cast<std::size_t>(3 * (r.first + i));
      const auto there = static_cast<std::size_t>(3 * ((at.z * points.y + at.y) * points.x + at.x));
      for (std::size_t c = 0; c < 3; ++c)
        difference = std::max(difference, std::abs(s.displacement_mm[here + c] - direct[there + c]));
    }
  MPI_Allreduce(MPI_IN_PLACE, &difference, 1, MPI_DOUBLE, MPI_MAX, p.where.comm);
  return difference / largest;
}

}  // namespace osteon::elastic_model
