#include <osteon/morphometry/fabric.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/base/dense.hpp>

namespace osteon::morphometry {

std::optional<fabric> fabric_of(const lattice_counts& counts, index3 domain, const vector3& spacing_mm) {
  const auto met = intercepts_per_mm(counts, spacing_mm);
  const double share = static_cast<double>(counts.voxels) / static_cast<double>(domain.volume());
  std::array<double, 13 * 6> rows{};
  std::array<double, 13> squares{};
  for (std::size_t k = 0; k < 13; ++k) {
    const auto& s = lattice_steps[k];
    std::array<double, 3> u{s[0] * spacing_mm.z, s[1] * spacing_mm.y, s[2] * spacing_mm.x};
    const double length = std::hypot(u[0], u[1], u[2]);
    for (double& component : u) component /= length;
    const std::array row{u[0] * u[0], u[1] * u[1], u[2] * u[2], 2 * u[0] * u[1], 2 * u[1] * u[2], 2 * u[0] * u[2]};
    std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(6 * k));
    // A line of length L has 2 share L / L met of the solid between two points where it meets the surface.
    squares[k] = share > 0 ? std::pow(met[k] / (2 * share), 2) : 0;
  }
  const std::vector<double> m = least_squares(rows, 6, squares);
  const symmetric_spectrum solved =
      spectrum_of_symmetric(std::array{m[0], m[3], m[5], m[3], m[1], m[4], m[5], m[4], m[2]}, 3);
  if (!(solved.values[0] > 1e-12 * solved.values[2]) || !(solved.values[2] > 0)) return {};
  fabric f;
  for (std::size_t n = 0; n < 3; ++n) {  // ascending: the smallest inverse square is the longest
    f.length_mm[n] = 1 / std::sqrt(solved.values[n]);
    std::copy_n(solved.vectors[n].begin(), 3, f.direction_zyx[n].begin());
  }
  return f;
}

}  // namespace osteon::morphometry
