#include <osteon/physics/elasticity/solver/thermal_load.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/base/fault_list.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/kernel/elasticity/element_stiffness.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>
#include <tuple>

namespace osteon::physics {

std::vector<double> thermal_strain(const elasticity_problem& problem, std::span<const double> temperature_K,
                                   std::span<const double> expansion_per_K, double reference_K) {
  require<usage_error>(temperature_K.size() == problem.material.size(),
                       "thermal strain: {} temperatures for {} active cells; the sizes must be equal", temperature_K.size(),
                       problem.material.size());
  require<usage_error>(expansion_per_K.size() == problem.materials->size(),
                       "thermal strain: {} expansion coefficients for {} materials (void included); the sizes must be equal",
                       expansion_per_K.size(), problem.materials->size());
  std::vector<double> strain(temperature_K.size());
  for (std::size_t cell = 0; cell < strain.size(); ++cell) {
    const material_number m = problem.material[cell];
    strain[cell] = expansion_per_K[m] * (temperature_K[cell] - reference_K);
    require<data_error>(
        std::isfinite(strain[cell]),
        "thermal strain of cell {} not finite: temperature {} K, material {} with expansion {} 1/K, reference "
        "temperature {} K",
        cell, temperature_K[cell], m, expansion_per_K[m], reference_K);
  }
  return strain;
}

std::vector<nodal_force> thermal_forces(const elasticity_problem& problem, std::span<const double> strain) {
  require<usage_error>(strain.size() == problem.material.size(),
                       "thermal load: {} strains for {} active cells; the sizes must be equal", strain.size(),
                       problem.material.size());
  std::vector<double> bulk;  // three times the bulk modulus [MPa]
  for (const kernel::lame& lame : lame_table(*problem.materials)) bulk.push_back(3 * lame.lambda + 2 * lame.mu);
  // Pressures are summed before the multiplication by areas. The force between cells of equal pressure is therefore
  // exactly zero.
  std::vector<vector3> sum(static_cast<std::size_t>(problem.nodes.size()));
  for (const voxel::run& r : problem.cells.runs()) {
    std::int32_t first[4];
    for (int row = 0; row < 4; ++row) first[row] = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
    for (std::int32_t e = 0; e < r.length; ++e) {
      const auto cell = static_cast<std::size_t>(r.first + e);
      const double pressure = bulk[problem.material[cell]] * strain[cell];
      for (int a = 0; a < 8; ++a) {
        vector3& at = sum[static_cast<std::size_t>(first[a / 2] + (a & 1) + e)];
        at.z += a & 4 ? pressure : -pressure;
        at.y += a & 2 ? pressure : -pressure;
        at.x += a & 1 ? pressure : -pressure;
      }
    }
  }
  const vector3 h = problem.spacing_mm, quarter_area{h.y * h.x / 4, h.z * h.x / 4, h.z * h.y / 4};
  std::vector<nodal_force> forces;
  for (std::size_t n = 0; n < sum.size(); ++n)
    if (const vector3& s = sum[n]; s != vector3{})
      forces.push_back({static_cast<std::int32_t>(n), {s.z * quarter_area.z, s.y * quarter_area.y, s.x * quarter_area.x}});
  return forces;
}

namespace {

struct candidate {
  double score = -1;
  index3 at;  // node of the image
};

// Return the node with the highest score on all ranks. Among nodes with equal scores, the first node in the order z, y, x
// is selected.
template <class F>
index3 best_node(const elasticity_problem& problem, F score) {
  candidate best;
  for (const voxel::run& r : problem.nodes.runs())
    for (std::int32_t i = 0; i < r.length; ++i) {
      const index3 at = problem.where.owned.begin + index3{r.z, r.y, r.x + i};
      if (const double s = score(at); s > best.score) best = {s, at};
    }
  const MPI_Comm comm = problem.where.comm;
  std::vector<candidate> all(static_cast<std::size_t>(comm::size(comm)));
  MPI_Allgather(&best, sizeof best, MPI_BYTE, all.data(), sizeof best, MPI_BYTE, comm);
  return std::min_element(all.begin(), all.end(),
                          [](const candidate& a, const candidate& b) {
                            return std::tuple(-a.score, a.at.z, a.at.y, a.at.x) <
                                   std::tuple(-b.score, b.at.z, b.at.y, b.at.x);
                          })
      ->at;
}

vector3 between(index3 a, index3 b, vector3 spacing) {
  vector3 d;
  for (int c = 0; c < 3; ++c) d[c] = static_cast<double>(b[c] - a[c]) * spacing[c];
  return d;
}

// Cross product up to the sign. The sign is irrelevant for the selection of nodes.
vector3 cross(vector3 a, vector3 b) { return {a.y * b.x - a.x * b.y, a.x * b.z - a.z * b.x, a.z * b.y - a.y * b.z}; }

double square(vector3 v) { return v.z * v.z + v.y * v.y + v.x * v.x; }

int largest(vector3 v) {
  int axis = 0;
  for (int c = 1; c < 3; ++c)
    if (std::abs(v[c]) > std::abs(v[axis])) axis = c;
  return axis;
}

// If a node is on this rank, constrain the components for which `holds` returns true.
template <class F>
void hold_node(const elasticity_problem& problem, index3 at, F holds, std::vector<prescribed_displacement>& fixed) {
  const index3 own = at - problem.where.owned.begin;
  const std::int32_t node = problem.nodes.find(own.z, own.y, own.x);
  for (int c = 0; c < 3 && node >= 0; ++c)
    if (holds(c)) fixed.push_back({node, static_cast<axis>(c), 0.0});
}

}  // namespace

std::vector<prescribed_displacement> determinate_support(const elasticity_problem& problem) {
  const vector3 h = problem.spacing_mm;
  const index3 first = best_node(problem, [](index3) { return 0.0; });
  const index3 second = best_node(problem, [&](index3 at) { return square(between(first, at, h)); });
  const vector3 line = between(first, second, h);
  const index3 third = best_node(problem, [&](index3 at) { return square(cross(line, between(first, at, h))); });

  std::vector<prescribed_displacement> fixed;
  const auto hold = [&](index3 at, auto holds) { hold_node(problem, at, holds, fixed); };
  // The second node is free along the longest component of the line. The constraints along the other components prevent
  // rotations of the line. The remaining motion is the rotation about the line. This rotation moves the third node normal
  // to the plane of the nodes.
  hold(first, [](int) { return true; });
  hold(second, [&](int c) { return c != largest(line); });
  hold(third, [&](int c) { return c == largest(cross(line, between(first, third, h))); });
  return fixed;
}

std::vector<prescribed_displacement> support_of_a_voxel(const elasticity_problem& problem) {
  // The first node of the solid is the low corner of a voxel.
  const index3 first = best_node(problem, [](index3) { return 0.0; });
  std::vector<prescribed_displacement> fixed;
  for (std::int64_t corner = 0; corner < 8; ++corner)
    hold_node(problem, first + index3{corner >> 2, corner >> 1 & 1, corner & 1}, [](int) { return true; }, fixed);
  return fixed;
}

}  // namespace osteon::physics
