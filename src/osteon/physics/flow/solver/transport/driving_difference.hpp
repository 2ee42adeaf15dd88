#pragma once
/// @file
/// The temperature difference of natural convection.
#include <osteon/physics/flow/solver/transport/buoyancy_force.hpp>
#include <osteon/physics/flow/solver/transport/transport_cells.hpp>

namespace osteon::physics {

/// The difference dT of the Rayleigh number [K]: between the lowest and the highest prescribed temperature (of faces, of the
/// surroundings of films, of inflows), also the reference temperature if a pressure is prescribed. For fluid heated by
/// fluxes or sources, or if all prescribed temperatures are equal, at least the range of the fluid's voxels.
/// @collective local
double driving_difference_K(const temperature_problem& heat, const through_problem& flow, double reference_K,
                            double range_of_fluid_K);

/// Upward increase of the fluid's density: root mean square of that part of the temperature gradient along gravity [K/mm], 0
/// where the density decreases. @param above of owned cells, above the reference of the cells @collective
double inverse_gradient_K_per_mm(const temperature_problem& heat, const transport_cells& cells, const buoyancy& weight,
                                 const std::vector<double>& above);

}  // namespace osteon::physics
