#include <osteon/physics/elasticity/solver/elasticity_check.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::physics {

namespace {

// Local checks.
void check_local(const elasticity_problem& problem) {
  if (!problem.materials) throw usage_error("the problem has no table of materials; give one");
  if (problem.cells.shape() != problem.where.owned.shape() ||
      problem.nodes.shape() != problem.cells.shape() + index3{1, 1, 1})
    throw usage_error(
        "the active voxels or their nodes do not have the shape of the block; make the nodes by corner_nodes(cells)");
  for (const voxel::run& r : problem.cells.runs())
    for (int row = 0; row < 4; ++row)
      if (const std::int32_t first = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
          first < 0 || problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x + r.length) != first + r.length)
        throw usage_error("an active voxel lacks a node; make the nodes by corner_nodes(cells)");
  if (problem.material.size() != static_cast<std::size_t>(problem.cells.size()))
    throw usage_error(
        fmt::format("{} materials for {} active voxels; give one each", problem.material.size(), problem.cells.size()));
  for (int axis = 0; axis < 3; ++axis)
    if (!(problem.spacing_mm[axis] > 0) || !std::isfinite(problem.spacing_mm[axis]))
      throw data_error(
          fmt::format("a voxel edge is {} mm long along {}; it must be positive", problem.spacing_mm[axis], "zyx"[axis]));
  std::vector<bool> used(most_materials + 1);
  for (const material_number m : problem.material) used[m] = true;
  for (std::size_t m = 0; m < used.size(); ++m) {
    if (!used[m]) continue;
    if (m == 0 || m >= problem.materials->size())
      throw data_error(fmt::format("an active voxel has material {}, but the table has materials 1 to {}", m,
                                   problem.materials->size() - 1));
    const voxel::material& material = (*problem.materials)[m];
    if (!(material.youngs_modulus_MPa > 0) || !std::isfinite(material.youngs_modulus_MPa))
      throw data_error(fmt::format("material {} ({}) has Young's modulus {} MPa; it must be positive", m, material.name,
                                   material.youngs_modulus_MPa));
    if (!(material.poisson_ratio > -1 && material.poisson_ratio < 0.5))
      throw data_error(fmt::format("material {} ({}) has Poisson's ratio {}; it must lie between -1 and 0.5, both excluded",
                                   m, material.name, material.poisson_ratio));
  }
  for (const prescribed_displacement& p : problem.fixed) {
    if (p.node < 0 || p.node >= problem.nodes.size())
      throw usage_error(
          fmt::format("a displacement is prescribed at node {}, but there are {} nodes", p.node, problem.nodes.size()));
    if (!std::isfinite(p.value_mm))
      throw data_error(
          fmt::format("the displacement prescribed at node {} is {} mm; it must be a finite number", p.node, p.value_mm));
  }
}

// Call body(position, axis) for each fixed displacement.
template <class F>
void for_each_fixed(const elasticity_problem& problem, F&& body) {
  std::vector<std::uint8_t> fixed(static_cast<std::size_t>(problem.nodes.size()));
  for (const prescribed_displacement& p : problem.fixed)
    fixed[static_cast<std::size_t>(p.node)] =
        static_cast<std::uint8_t>(fixed[static_cast<std::size_t>(p.node)] | 1 << static_cast<int>(p.direction));
  const index3 origin = problem.where.owned.begin;
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i)
      for (int c = 0; c < 3; ++c)
        if (fixed[static_cast<std::size_t>(r.first + i)] >> c & 1)
          body(Eigen::Vector3d(static_cast<double>(origin.z + r.z) * problem.spacing_mm.z,
                               static_cast<double>(origin.y + r.y) * problem.spacing_mm.y,
                               static_cast<double>(origin.x + r.x + i) * problem.spacing_mm.x),
               c);
}

}  // namespace

std::vector<std::string> free_rigid_motions(const elasticity_problem& problem) {
  // Moments about the centre of what is fixed, in units of its radius, so that translations and rotations compare.
  // Copies of a node on several ranks count several times; that moves no zero.
  double sums[5] = {};  // number, position, square of position
  for_each_fixed(problem, [&](const Eigen::Vector3d& at, int) {
    sums[0] += 1;
    for (int d = 0; d < 3; ++d) sums[1 + d] += at[d];
    sums[4] += at.squaredNorm();
  });
  comm::all_reduce(problem.where.comm, sums, 5, MPI_SUM);
  const double count = std::max(sums[0], 1.0);
  const Eigen::Vector3d centre(sums[1] / count, sums[2] / count, sums[3] / count);
  const double smallest = std::min({problem.spacing_mm.z, problem.spacing_mm.y, problem.spacing_mm.x});
  const double radius = std::max(std::sqrt(std::max(sums[4] / count - centre.squaredNorm(), 0.0)), smallest);

  Eigen::Matrix<double, 6, 6> gram = Eigen::Matrix<double, 6, 6>::Zero();
  for_each_fixed(problem, [&](const Eigen::Vector3d& at, int c) {
    const Eigen::Vector3d arm = (at - centre) / radius;
    Eigen::Matrix<double, 6, 1> motion = Eigen::Matrix<double, 6, 1>::Zero();
    motion[c] = 1;
    for (int about = 0; about < 3; ++about) motion[3 + about] = Eigen::Vector3d::Unit(about).cross(arm)[c];
    gram += motion * motion.transpose();
  });
  // Opposite faces move alike: a rotation would tear them apart unless it is about the periodic axis alone.
  for (int periodic = 0; periodic < 3; ++periodic)
    for (int about = 0; about < 3; ++about)
      if (problem.periodic[static_cast<std::size_t>(periodic)] && about != periodic) gram(3 + about, 3 + about) += 1;
  comm::all_reduce(problem.where.comm, gram.data(), 36, MPI_SUM);

  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> spectrum(gram);
  const double zero = 1e-12 * std::max(spectrum.eigenvalues()[5], 1.0);
  Eigen::Matrix<double, 6, 1> part = Eigen::Matrix<double, 6, 1>::Zero();  // of each motion in the free ones
  int free = 0;
  for (int k = 0; k < 6; ++k)
    if (spectrum.eigenvalues()[k] <= zero) {
      part += spectrum.eigenvectors().col(k).cwiseAbs2();
      ++free;
    }
  std::vector<Eigen::Index> motions;
  for (int k = 0; k < free; ++k) {
    part.maxCoeff(&motions.emplace_back());
    part[motions.back()] = -1;
  }
  std::sort(motions.begin(), motions.end());
  std::vector<std::string> names;
  for (const Eigen::Index m : motions)
    names.push_back(fmt::format("{} {}", m < 3 ? "translation along" : "rotation about", "zyx"[m % 3]));
  return names;
}

void check_load(const elasticity_problem& problem, const elasticity_load& load) {
  if (!load.prescribed_mm.empty() && load.prescribed_mm.size() != problem.fixed.size())
    throw usage_error(fmt::format("{} prescribed values for {} prescribed displacements; give one each, or none",
                                  load.prescribed_mm.size(), problem.fixed.size()));
  for (const double value : load.prescribed_mm)
    if (!std::isfinite(value)) throw data_error(fmt::format("a prescribed displacement of {} mm; it must be finite", value));
  for (const double strain : load.mean_strain)
    if (!std::isfinite(strain)) throw data_error(fmt::format("a mean strain of {}; it must be finite", strain));
  const bool is_periodic = problem.periodic != std::array<bool, 3>{};
  if (!is_periodic && load.mean_strain != std::array<double, 6>{})
    throw usage_error("a mean strain is given, but no axis is periodic; prescribe displacements instead");
  for (const nodal_force& f : load.forces) {
    if (f.node < 0 || f.node >= problem.nodes.size())
      throw usage_error(fmt::format("a force acts at node {}, but there are {} nodes", f.node, problem.nodes.size()));
    for (int axis = 0; axis < 3; ++axis)
      if (!std::isfinite(f.force_N[axis]))
        throw data_error(
            fmt::format("the force at node {} is {} N along {}; it must be finite", f.node, f.force_N[axis], "zyx"[axis]));
  }
}

void check_elasticity(const elasticity_problem& problem) {
  comm::collectively(problem.where.comm, [&] { check_local(problem); });
  std::int64_t active = problem.cells.size();
  comm::all_reduce(problem.where.comm, &active, 1, MPI_SUM);
  if (active == 0) throw data_error("the model has no active voxel: there is nothing to solve; choose another threshold");
  const auto names = free_rigid_motions(problem);
  if (!names.empty())
    throw data_error(
        fmt::format("the prescribed displacements leave the solid free to move: {}; prescribe more displacements (a "
                    "[[support]] that holds them)",
                    fmt::join(names, ", ")));
}

}  // namespace osteon::physics
