#include <osteon/physics/elasticity/solver/elasticity_check.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <osteon/base/dense.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/comm/virtual_ranks.hpp>

namespace osteon::physics {

namespace {

bool is_positive(double value) { return value > 0 && std::isfinite(value); }

void check_local(const elasticity_problem& problem) {
  require<usage_error>(problem.materials, "elasticity problem: missing table of materials");
  require<usage_error>(
      problem.cells.shape() == problem.where.owned.shape() &&
          problem.nodes.shape() == problem.cells.shape() + index3{1, 1, 1},
      "elasticity problem: the shapes of voxels, nodes and block do not match; create the nodes by corner_nodes(cells)");
  for (const voxel::run& r : problem.cells.runs())
    for (int row = 0; row < 4; ++row) {
      const std::int32_t first = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
      require<usage_error>(
          first >= 0 && problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x + r.length) == first + r.length,
          "elasticity problem: missing node of an active voxel; create the nodes by corner_nodes(cells)");
    }
  require<usage_error>(std::ssize(problem.material) == problem.cells.size(),
                       "elasticity problem: {} material numbers for {} active voxels; the sizes must be equal",
                       problem.material.size(), problem.cells.size());
  for (int axis = 0; axis < 3; ++axis)
    require<data_error>(is_positive(problem.spacing_mm[axis]), "voxel size {} mm along {}: must be positive",
                        problem.spacing_mm[axis], "zyx"[axis]);
  std::vector<bool> used(most_materials + 1);
  for (const material_number m : problem.material) used[m] = true;
  for (std::size_t m = 0; m < used.size(); ++m) {
    if (!used[m]) continue;
    require<data_error>(m > 0 && m < problem.materials->size(), "material number {} of an active voxel: must be in 1 to {}",
                        m, problem.materials->size() - 1);
    const voxel::material& material = (*problem.materials)[m];
    require<data_error>(is_positive(material.youngs_modulus_MPa),
                        "material {} ({}): Young's modulus {} MPa must be positive", m, material.name,
                        material.youngs_modulus_MPa);
    require<data_error>(material.poisson_ratio > -1 && material.poisson_ratio < 0.5,
                        "material {} ({}): Poisson's ratio {} must be in (-1, 0.5)", m, material.name,
                        material.poisson_ratio);
  }
  for (const prescribed_displacement& p : problem.fixed) {
    require<usage_error>(p.node >= 0 && p.node < problem.nodes.size(),
                         "prescribed displacement at node {}: the model has {} nodes", p.node, problem.nodes.size());
    require<data_error>(std::isfinite(p.value_mm), "prescribed displacement at node {}: {} mm must be finite", p.node,
                        p.value_mm);
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
          body(vector3{static_cast<double>(origin.z + r.z) * problem.spacing_mm.z,
                       static_cast<double>(origin.y + r.y) * problem.spacing_mm.y,
                       static_cast<double>(origin.x + r.x + i) * problem.spacing_mm.x},
               c);
}

}  // namespace

std::vector<std::string> free_rigid_motions(const elasticity_problem& problem) {
  // Moments about the centre of the fixed nodes, in units of their radius, make translations and rotations comparable.
  // Shared nodes are counted several times. Repeated counts do not affect zeros.
  double sums[5] = {};  // number, position, square of position
  for_each_fixed(problem, [&](const vector3& at, int) {
    sums[0] += 1;
    for (int d = 0; d < 3; ++d) {
      sums[1 + d] += at[d];
      sums[4] += at[d] * at[d];
    }
  });
  comm::all_reduce(problem.where.comm, sums, 5, MPI_SUM);
  const double count = std::max(sums[0], 1.0);
  const vector3 centre{sums[1] / count, sums[2] / count, sums[3] / count};
  const double smallest = std::min({problem.spacing_mm.z, problem.spacing_mm.y, problem.spacing_mm.x});
  const double spread = sums[4] / count - centre.z * centre.z - centre.y * centre.y - centre.x * centre.x;
  const double radius = std::max(std::sqrt(std::max(spread, 0.0)), smallest);

  std::array<double, 36> gram{};
  for_each_fixed(problem, [&](const vector3& at, int c) {
    std::array<double, 6> motion{};
    motion[static_cast<std::size_t>(c)] = 1;
    // Component c of (unit vector along `about`) x arm.
    for (int about = 0; about < 3; ++about)
      if (about != c) {
        const int other = 3 - about - c;
        const double arm = (at[other] - centre[other]) / radius;
        motion[static_cast<std::size_t>(3 + about)] = c == (about + 1) % 3 ? -arm : arm;
      }
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) gram[6 * i + j] += motion[i] * motion[j];
  });
  // Opposite periodic faces have equal displacements. Only a rotation about a single periodic axis satisfies this condition.
  for (std::size_t periodic = 0; periodic < 3; ++periodic)
    for (std::size_t about = 0; about < 3; ++about)
      if (problem.periodic[periodic] && about != periodic) gram[7 * (3 + about)] += 1;
  comm::all_reduce(problem.where.comm, gram.data(), 36, MPI_SUM);

  const symmetric_spectrum spectrum = spectrum_of_symmetric(gram, 6);
  const double zero = 1e-12 * std::max(spectrum.values[5], 1.0);
  std::array<double, 6> part{};  // component of each coordinate in the free motions
  int free = 0;
  for (std::size_t k = 0; k < 6; ++k)
    if (spectrum.values[k] <= zero) {
      for (std::size_t m = 0; m < 6; ++m) part[m] += spectrum.vectors[k][m] * spectrum.vectors[k][m];
      ++free;
    }
  std::vector<std::ptrdiff_t> motions;
  for (int k = 0; k < free; ++k) {
    const auto largest = std::max_element(part.begin(), part.end());
    motions.push_back(largest - part.begin());
    *largest = -1;
  }
  std::sort(motions.begin(), motions.end());
  std::vector<std::string> names;
  for (const std::ptrdiff_t m : motions)
    names.push_back(fmt::format("{} {}", m < 3 ? "translation along" : "rotation about", "zyx"[m % 3]));
  return names;
}

void check_load(const elasticity_problem& problem, const elasticity_load& load) {
  require<usage_error>(load.prescribed_mm.empty() || load.prescribed_mm.size() == problem.fixed.size(),
                       "load: {} values for {} prescribed displacements; the sizes must be equal, or the list empty",
                       load.prescribed_mm.size(), problem.fixed.size());
  for (const double value : load.prescribed_mm)
    require<data_error>(std::isfinite(value), "prescribed displacement: {} mm must be finite", value);
  for (const double strain : load.mean_strain)
    require<data_error>(std::isfinite(strain), "mean strain: {} must be finite", strain);
  require<usage_error>(problem.periodic != std::array<bool, 3>{} || load.mean_strain == std::array<double, 6>{},
                       "a mean strain requires a periodic axis; prescribe displacements instead");
  for (const nodal_force& f : load.forces) {
    require<usage_error>(f.node >= 0 && f.node < problem.nodes.size(), "force at node {}: the model has {} nodes", f.node,
                         problem.nodes.size());
    for (int axis = 0; axis < 3; ++axis)
      require<data_error>(std::isfinite(f.force_N[axis]), "force at node {}: {} N along {} must be finite", f.node,
                          f.force_N[axis], "zyx"[axis]);
  }
}

void check_elasticity(const elasticity_problem& problem) {
  comm::collectively(problem.where.comm, [&] { check_local(problem); });
  const std::int64_t active = comm::sum_over_ranks(problem.where.comm, problem.cells.size());
  require<data_error>(active != 0, "the model has no active voxel; change the threshold");
  if (!comm::has_values(problem.where.comm)) return;
  const auto names = free_rigid_motions(problem);
  require<data_error>(
      names.empty(),
      "the prescribed displacements permit rigid motions of the solid: {}; add a [[support]] that constrains "
      "these motions",
      fmt::join(names, ", "));
}

}  // namespace osteon::physics
