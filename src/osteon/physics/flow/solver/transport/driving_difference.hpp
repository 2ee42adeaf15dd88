#pragma once
/// @file
/// The temperature difference of natural convection.
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>

namespace osteon::physics {

/// Temperature difference dT of the Rayleigh number [K], between the lowest and the highest prescribed temperature.
/// Prescribed temperatures are those of faces, surroundings of convection, inflows and, if a pressure is prescribed, the
/// reference temperature. For fluid heated by fluxes or sources, or if all prescribed temperatures are equal, dT is at
/// least the range over the fluid voxels.
/// @collective local
double driving_difference_K(const temperature_problem& heat, const through_problem& flow, double reference_K,
                            double range_of_fluid_K);

/// Measure of the upward increase of the fluid density: root mean square of the destabilising part of the temperature
/// gradient along gravity [K/mm]. @param above temperature of owned cells above the reference of the cells @collective
double inverse_gradient_K_per_mm(const temperature_problem& heat, const transport_cells& cells, const buoyancy& weight,
                                 const std::vector<double>& above);

}  // namespace osteon::physics
