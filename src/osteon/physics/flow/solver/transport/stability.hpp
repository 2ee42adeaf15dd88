#pragma once
/// @file
/// The stability of a steady state of natural convection.
#include <functional>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>
#include <vector>

namespace osteon::physics {

/// Below this Rayleigh number, with the mean inverse gradient of the temperature and the height of the image, fluid stays at
/// rest in any box: a layer between faces that slip and give fluxes of heat starts at 120. @cite [Sparrow1964]
inline constexpr double lowest_critical_rayleigh = 100;

/// Steps in time of flow and temperature: what they act on, and one of them.
struct stepped_state {
  std::function<std::vector<double>()> get;
  std::function<void(const std::vector<double>&)> set;
  std::function<bool()> step;  ///< @return false if the step was not found @collective
};

struct stability_verdict {
  static constexpr double margin = 2e-3;  ///< what the tolerances of the steps may change of the multiplier
  bool is_known = false;                  ///< all steps were found
  double multiplier = 0;                  ///< of the size of the leading disturbance, in a step
  std::vector<double> disturbance;        ///< as it is after the steps, as a state
  bool grows() const { return is_known && multiplier > 1 + margin; }
};

/// Follow a small disturbance of a steady state for some steps. The multipliers of its leading parts are the eigenvalues of
/// the steps' map in the space of the disturbances that it became (Krylov; dynamic mode decomposition), which tells growth
/// long before the leading part outweighs the others.
/// @param counts which values of the rank's part of the state a size is made of; empty: all
/// @param first the disturbance, a state @cite [Schmid2010] @collective on comm
stability_verdict test_stability(MPI_Comm comm, const std::vector<std::uint8_t>& counts, const stepped_state& steps,
                                 const std::vector<double>& steady, const std::vector<double>& first);

/// Largest magnitude of the eigenvalues of the map that takes each vector to the next, in the space of all but the last.
/// @collective on comm
double leading_multiplier(MPI_Comm comm, const std::vector<std::uint8_t>& counts,
                          const std::vector<std::vector<float>>& vectors);

/// A disturbance of the temperature of the fluid without symmetry, from the positions of voxels in the image: the same on
/// any number of ranks. @param size of the state, of which the temperatures of the cells come first @collective local
std::vector<double> disturbance_of(const temperature_problem& heat, const transport_cells& cells, std::size_t size);

}  // namespace osteon::physics
