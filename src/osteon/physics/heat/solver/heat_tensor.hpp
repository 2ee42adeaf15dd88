#pragma once
/// @file
/// Effective conductivity tensor of a block of material.
#include <osteon/physics/heat/solver/heat.hpp>

namespace osteon::physics {

/// Boundary condition of the box.
enum class surroundings {
  periodic,         ///< the temperature is a mean gradient plus a periodic fluctuation
  uniform_gradient  ///< linear temperature on all outer faces; yields an upper bound of the conductivity
};

/// Conductivity with axes in the order z, y, x. Void is part of the box and insulating.
struct conductivity_tensor {
  std::array<std::array<double, 3>, 3> conductivity_W_per_mK{};  ///< symmetric
  std::array<double, 3> principal_W_per_mK{};                    ///< descending
  std::array<vector3, 3> direction;                              ///< unit vectors of the principal values
  /// Temperature per active cell for a mean gradient of 1 K/mm along z, y and x. The mean temperature or the temperature
  /// at the centre of the box is zero.
  std::array<std::vector<float>, 3> temperature_K;
  std::array<face_match, 3> periodic_faces;
  std::array<solve_certificate, 3> certificate;  ///< for the three solutions; the first includes the set-up time
};

/// Solve for the three unit gradients with one set-up. Each entry of the tensor is the mixed energy of two solutions. The
/// error of an entry is of second order in the errors of the solutions. Faces, gradient and sources of the problem are not
/// used.
/// @throws as solve_heat @collective on problem.where.comm
/// @cite [Hill1963]; [Huet1990] for the order of the results of the two boundary conditions
conductivity_tensor effective_conductivity(heat_problem problem, surroundings kind, const options& options, log_sink& log);

/// Check the problem as `effective_conductivity` does, without a solution.
/// @throws as effective_conductivity @collective on problem.where.comm
void check_effective_conductivity(heat_problem problem, surroundings kind);

/// Return the problem of the unit gradient along an axis. The solution of this problem is
/// conductivity_tensor::temperature_K.
heat_problem gradient_problem(heat_problem problem, surroundings kind, axis along);

}  // namespace osteon::physics
