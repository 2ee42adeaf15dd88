#include <osteon/morphometry/fabric.hpp>

#include <Eigen/Dense>
#include <cmath>

namespace osteon::morphometry {

std::optional<fabric> fabric_of(const lattice_counts& counts, index3 domain, const vector3& spacing_mm) {
  const auto met = intercepts_per_mm(counts, spacing_mm);
  const double share = static_cast<double>(counts.voxels) / static_cast<double>(domain.volume());
  Eigen::Matrix<double, 13, 6> rows;
  Eigen::Matrix<double, 13, 1> squares;
  for (std::size_t k = 0; k < 13; ++k) {
    const auto& s = lattice_steps[k];
    Eigen::Vector3d u(s[0] * spacing_mm.z, s[1] * spacing_mm.y, s[2] * spacing_mm.x);
    u.normalize();
    const auto row = static_cast<Eigen::Index>(k);
    rows.row(row) << u[0] * u[0], u[1] * u[1], u[2] * u[2], 2 * u[0] * u[1], 2 * u[1] * u[2], 2 * u[0] * u[2];
    // A line of length L has 2 share L / L met of the solid between two points where it meets the surface.
    squares[row] = share > 0 ? std::pow(met[k] / (2 * share), 2) : 0;
  }
  const Eigen::Matrix<double, 6, 1> m = rows.colPivHouseholderQr().solve(squares);
  Eigen::Matrix3d tensor;
  tensor << m[0], m[3], m[5], m[3], m[1], m[4], m[5], m[4], m[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solved(tensor);
  if (!(solved.eigenvalues()[0] > 1e-12 * solved.eigenvalues()[2]) || !(solved.eigenvalues()[2] > 0)) return {};
  fabric f;
  for (int i = 0; i < 3; ++i) {  // ascending: the smallest inverse square is the longest
    const auto n = static_cast<std::size_t>(i);
    f.length_mm[n] = 1 / std::sqrt(solved.eigenvalues()[i]);
    for (int a = 0; a < 3; ++a) f.direction_zyx[n][static_cast<std::size_t>(a)] = solved.eigenvectors()(a, i);
  }
  return f;
}

}  // namespace osteon::morphometry
