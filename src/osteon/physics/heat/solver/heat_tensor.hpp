#pragma once
/// @file
/// The effective conductivity of a piece of material in all directions.
#include <osteon/physics/heat/solver/heat.hpp>

namespace osteon::physics {

/// The surroundings of the box.
enum class surroundings {
  periodic,         ///< copies of itself: the field is a mean gradient and a periodic fluctuation
  uniform_gradient  ///< a linear temperature on all outer faces: an upper bound
};

/// Axes in the order z, y, x. Void counts as part of the box and conducts nothing.
struct conductivity_tensor {
  std::array<std::array<double, 3>, 3> conductivity_W_per_mK{};  ///< symmetric
  std::array<double, 3> principal_W_per_mK{};                    ///< descending
  std::array<vector3, 3> direction;                              ///< unit vectors of the principal values
  /// Per active cell, for a mean gradient of 1 K/mm along z, y and x, zero in the mean or at the centre of the box.
  std::array<std::vector<float>, 3> temperature_K;
  std::array<face_match, 3> periodic_faces;
  std::array<solve_certificate, 3> certificate;  ///< of the three solutions; the setup's seconds are in the first
};

/// Solve for the three gradients with one setup. Each entry is the mixed energy of two solutions, so it is exact to
/// second order in their errors. Faces, gradient and sources of the problem are not read.
/// @throws as solve_heat @collective on problem.where.comm
/// @cite [Hill1963]; [Huet1990] for the order of the two kinds of surroundings
conductivity_tensor effective_conductivity(heat_problem problem, surroundings kind, const options& how, log_sink& log);

/// Check the problem as `effective_conductivity` does, without solving.
/// @throws as effective_conductivity @collective on problem.where.comm
void check_effective_conductivity(heat_problem problem, surroundings kind);

/// The problem of which the solution for the unit gradient along `along` is `temperature_K`.
heat_problem gradient_problem(heat_problem problem, surroundings kind, axis along);

}  // namespace osteon::physics
