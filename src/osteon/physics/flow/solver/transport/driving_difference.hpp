#pragma once
/// @file
/// The temperature difference of natural convection.
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>

namespace osteon::physics {

/// Temperature difference dT in the Rayleigh number [K]. dT is the difference between the lowest and the highest prescribed
/// temperature. Prescribed temperatures are the temperatures of faces, of the surroundings of convection, and of inflows. If
/// a pressure is prescribed, the reference temperature is also a prescribed temperature. If fluxes or sources heat the
/// fluid, or if all prescribed temperatures are equal, dT is at least the range of temperatures in the fluid voxels.
/// @collective local
double driving_difference_K(const temperature_problem& heat, const through_problem& flow, double reference_K,
                            double range_of_fluid_K);

/// Measure of the upward increase of the fluid density. The measure is the root mean square of the destabilising part of the
/// temperature gradient along gravity [K/mm]. @param above temperature of owned cells relative to the reference temperature
/// of the cells @collective
double inverse_gradient_K_per_mm(const temperature_problem& heat, const transport_cells& cells, const buoyancy& weight,
                                 const std::vector<double>& above);

}  // namespace osteon::physics
