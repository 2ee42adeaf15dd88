#pragma once
/// @file
/// Pins: supports that bear no load and take away rigid motions of parts that bear load.
#include <optional>
#include <osteon/physics/elasticity/loads/loads.hpp>
#include <osteon/physics/elasticity/solver/part_motions.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>

namespace osteon::physics {

/// The rigid motions that the plates of a test permit, and the preferred positions of the pins.
struct pin_rule {
  node_set_ptr plate;                ///< pins are placed here, of parts that reach it
  std::vector<int> axes;             ///< translations, the preferred ones first
  std::vector<motion_mask> permits;  ///< coordinates in which two opposite plates let a part move, per pair of plates
};

/// The supports of a load case, as far as pins depend on them.
struct pinned_case {
  std::optional<pin_rule> rule;     ///< of a test without friction
  std::span<const support> plates;  ///< of the test
  bool has_forces = false;          ///< forces could do work in a rigid motion, and a pin would bear them
  std::span<const numerics::prescribed_displacement> fixed;
};

/// Pin the parts that bear load and can yet move without deformation, each rigid component once:
/// - in a test without friction those that move only as the plates permit, and those that join the plates;
/// - parts that join others at two places, such as a strut that turns about the line between two nodes, if no force acts.
/// Other parts that move get no pin: they bear nothing, and remain loose.
/// @return supports, with the nodes that are held along the same axes in one @collective
std::vector<support> make_pins(const node_sets& sets, const solid_parts& parts, const pinned_case& what);

}  // namespace osteon::physics
