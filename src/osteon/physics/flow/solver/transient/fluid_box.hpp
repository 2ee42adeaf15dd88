#pragma once
/// @file
/// Whether the fluid is a whole box, whose pressure transforms can find.
#include <optional>
#include <osteon/numerics/transforms/box_poisson.hpp>
#include <osteon/physics/flow/solver/stokes/open_flow_cells.hpp>
#include <osteon/physics/shared/solver/names_of_numerics.hpp>
#include <string>

namespace osteon::physics {

/// The box, if G^T M^-1 G is a sum of one operator for each axis, and ranks own whole planes: no solid voxel, nothing inside
/// the image that is an opening, and each face of the image gives the pressure on all of itself or nowhere.
/// @param why_not becomes what is in the way, where there is none; null: not wanted @collective on the cells' communicator
std::optional<poisson_box> find_fluid_box(const open_flow_cells& open, std::string* why_not = nullptr);

}  // namespace osteon::physics
