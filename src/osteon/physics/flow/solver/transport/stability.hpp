#pragma once
/// @file
/// The stability of a steady state of natural convection.
#include <functional>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Below this Rayleigh number, fluid in any box remains at rest. This Rayleigh number uses the mean destabilising
/// temperature gradient and the height of the image. For a layer between slip faces with prescribed heat fluxes, the
/// critical value is 120.
/// @cite [Sparrow1964]
inline constexpr double lowest_critical_rayleigh = 100;

/// State of flow and temperature, and a function that computes one time step.
struct stepped_state {
  std::function<std::vector<double>()> get;
  std::function<void(const std::vector<double>&)> set;
  std::function<bool()> step;  ///< @return false if the step has not converged @collective
};

struct stability_verdict {
  static constexpr double margin = 2e-3;  ///< uncertainty of the multiplier that the tolerances of the steps cause
  bool is_known = false;                  ///< true if all steps have converged
  double multiplier = 0;                  ///< growth factor of the leading disturbance per step
  std::vector<double> disturbance;        ///< the leading disturbance after the steps, in the format of a state
  bool grows() const { return is_known && multiplier > 1 + margin; }
};

/// Compute some time steps from a steady state with a small disturbance. The growth factors of the leading modes are
/// eigenvalues of the operator of a time step. The operator is restricted to the space of successive disturbances (dynamic
/// mode decomposition in a Krylov space). The method detects growth before the leading mode dominates.
/// @param counts flags of the values on this rank that contribute to the norm of the state; empty: all values
/// @param first initial disturbance in the format of a state @cite [Schmid2010] @collective on comm
stability_verdict test_stability(MPI_Comm comm, const std::vector<std::uint8_t>& counts, const stepped_state& steps,
                                 const std::vector<double>& steady, const std::vector<double>& first);

/// Largest magnitude of the eigenvalues of a map. The map transforms each vector to the next vector. The map is restricted
/// to the space of all vectors except the last vector.
/// @collective on comm
double leading_multiplier(MPI_Comm comm, const std::vector<std::uint8_t>& counts,
                          const std::vector<std::vector<float>>& vectors);

/// An asymmetric disturbance of the fluid temperature. The disturbance is a function of the positions of voxels in the
/// image, and is equal on any number of ranks. @param size size of the state; the temperatures of the cells are the first
/// values of the state
/// @collective local
std::vector<double> disturbance_of(const temperature_problem& heat, const transport_cells& cells, std::size_t size);

}  // namespace osteon::physics
