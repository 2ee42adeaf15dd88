#pragma once
/// @file
/// Effective conductivity tensor of a block of material.
#include <osteon/physics/heat/solver/heat.hpp>

namespace osteon::physics {

/// Boundary condition of the box.
enum class surroundings {
  periodic,         ///< the temperature is a mean gradient plus a periodic fluctuation
  uniform_gradient  ///< the temperature is linear on all outer faces; the result is an upper bound of the conductivity
};

/// Conductivity with axes in the order z, y, x. Void is part of the box, and is insulating.
struct conductivity_tensor {
  std::array<std::array<double, 3>, 3> conductivity_W_per_mK{};  ///< symmetric tensor
  std::array<double, 3> principal_W_per_mK{};                    ///< principal values in descending order
  std::array<vector3, 3> direction;                              ///< unit vectors of the principal values
  /// Temperature of each active cell for mean gradients of 1 K/mm along z, y and x. Either the mean temperature or the
  /// temperature at the centre of the box is zero.
  std::array<std::vector<float>, 3> temperature_K;
  std::array<face_match, 3> periodic_faces;
  /// certificates of the three solutions; the first certificate includes the time of the set-up
  std::array<solve_certificate, 3> certificate;
};

/// Solve for the three unit gradients with one set-up. Each entry of the tensor is the mixed energy of two solutions. The
/// error of an entry is of second order in the errors of the two solutions. Faces, gradient and sources of the problem are
/// not used.
/// @throws errors of solve_heat @collective on problem.where.comm
/// @cite [Hill1963]; [Huet1990] for the order between the results of the two boundary conditions
conductivity_tensor effective_conductivity(heat_problem problem, surroundings kind, const options& options, log_sink& log);

/// Check the problem like `effective_conductivity`, and compute no solution.
/// @throws errors of effective_conductivity @collective on problem.where.comm
void check_effective_conductivity(heat_problem problem, surroundings kind);

/// Return the problem with a unit gradient along an axis. The solution of this problem is
/// conductivity_tensor::temperature_K.
heat_problem gradient_problem(heat_problem problem, surroundings kind, axis along);

}  // namespace osteon::physics
