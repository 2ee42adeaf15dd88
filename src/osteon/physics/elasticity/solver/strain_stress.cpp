#include <osteon/physics/elasticity/solver/strain_stress.hpp>

#include <algorithm>
#include <numeric>
#include <osteon/base/at.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/kernel/elasticity/symmetric_tensor.hpp>
#include <osteon/numerics/operators/fine_stiffness.hpp>

namespace osteon::physics {

namespace {

// Strain at the centre of a brick. Each derivative is the mean of the differences along four edges. Differences of
// neighbouring displacements have smaller rounding errors than differences of sums over faces.
kernel::voigt strain_of(const double (&u)[8][3], vector3 h) {
  double gradient[3][3];  // derivative of component i along j, both in the order z, y, x
  for (int i = 0; i < 3; ++i) {
    const auto along = [&](int step, int a, int b, int c, int d, double edge) {
      return ((u[a + step][i] - u[a][i]) + (u[b + step][i] - u[b][i]) + (u[c + step][i] - u[c][i]) +
              (u[d + step][i] - u[d][i])) /
             (4 * edge);
    };
    gradient[i][0] = along(4, 0, 1, 2, 3, h.z);
    gradient[i][1] = along(2, 0, 1, 4, 5, h.y);
    gradient[i][2] = along(1, 0, 2, 4, 6, h.x);
  }
  return {gradient[2][2],
          gradient[1][1],
          gradient[0][0],
          gradient[2][1] + gradient[1][2],
          gradient[1][0] + gradient[0][1],
          gradient[2][0] + gradient[0][2]};
}

// Call body(mechanical strain, Lame constants, result) for every cell.
template <class F>
std::vector<float> per_cell(const elasticity_problem& problem, std::span<const double> displacement_mm,
                            std::span<const double> thermal_strain, int components, F body) {
  const std::vector<kernel::lame> lame = lame_table(*problem.materials);
  std::vector<float> values(at(problem.cells.size()) * at(components));
  const auto runs = problem.cells.runs();
  for_each(static_cast<std::int64_t>(runs.size()), [&](std::int64_t index) {
    const voxel::run& r = runs[at(index)];
    std::int64_t first[4];
    for (int row = 0; row < 4; ++row) first[row] = problem.nodes.find(r.z + row / 2, r.y + row % 2, r.x);
    for (std::int64_t e = 0; e < r.length; ++e) {
      double u[8][3];
      for (int a = 0; a < 8; ++a) std::copy_n(displacement_mm.begin() + 3 * (first[a / 2] + (a & 1) + e), 3, u[a]);
      const auto cell = at(r.first + e);
      kernel::voigt strain = strain_of(u, problem.spacing_mm);
      for (std::size_t c = 0; c < 3 && !thermal_strain.empty(); ++c) strain[c] -= thermal_strain[cell];
      body(strain, lame[problem.material[cell]], values.data() + cell * at(components));
    }
  });
  return values;
}

void store(const kernel::voigt& tensor, float* out) {
  std::transform(tensor.begin(), tensor.end(), out, [](double v) { return static_cast<float>(v); });
}

}  // namespace

std::vector<float> strain(const elasticity_problem& problem, std::span<const double> displacement_mm) {
  return per_cell(problem, displacement_mm, {}, 6,
                  [](const kernel::voigt& strain, kernel::lame, float* out) { store(strain, out); });
}

std::vector<float> stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                          std::span<const double> thermal_strain) {
  return per_cell(problem, displacement_mm, thermal_strain, 6,
                  [](const kernel::voigt& strain, kernel::lame m, float* out) { store(kernel::stress_of(strain, m), out); });
}

std::vector<float> strain_energy_density(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                         std::span<const double> thermal_strain) {
  return per_cell(problem, displacement_mm, thermal_strain, 1, [](const kernel::voigt& strain, kernel::lame m, float* out) {
    const kernel::voigt stress = kernel::stress_of(strain, m);
    *out = static_cast<float>(std::max(0.0, std::inner_product(stress.begin(), stress.end(), strain.begin(), 0.0) / 2));
  });
}

std::vector<float> von_mises_stress(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                    std::span<const double> thermal_strain) {
  return per_cell(problem, displacement_mm, thermal_strain, 1, [](const kernel::voigt& strain, kernel::lame m, float* out) {
    *out = static_cast<float>(kernel::von_mises(kernel::stress_of(strain, m)));
  });
}

std::vector<float> principal_stress(const elasticity_problem& problem, std::span<const double> displacement_mm, int which,
                                    std::span<const double> thermal_strain) {
  return per_cell(problem, displacement_mm, thermal_strain, 1,
                  [n = at(which)](const kernel::voigt& strain, kernel::lame m, float* out) {
                    *out = static_cast<float>(kernel::principal(kernel::stress_of(strain, m)).value[n]);
                  });
}

std::vector<float> principal_strain(const elasticity_problem& problem, std::span<const double> displacement_mm, int which) {
  return per_cell(problem, displacement_mm, {}, 1, [n = at(which)](const kernel::voigt& strain, kernel::lame, float* out) {
    *out = static_cast<float>(kernel::principal(kernel::without_engineering_shears(strain)).value[n]);
  });
}

std::vector<float> principal_direction(const elasticity_problem& problem, std::span<const double> displacement_mm,
                                       int which) {
  // The direction is computed from the strain, because strain and stress have the same axes. The rounding error of the
  // strain does not grow as Poisson's ratio approaches 0.5.
  return per_cell(problem, displacement_mm, {}, 3, [n = at(which)](const kernel::voigt& strain, kernel::lame, float* out) {
    const auto axes = kernel::principal(kernel::without_engineering_shears(strain));
    for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<float>(axes.direction[n][c]);
  });
}

}  // namespace osteon::physics
