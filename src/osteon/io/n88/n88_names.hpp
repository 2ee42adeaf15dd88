#pragma once
/// @file
/// Names in .n88model files (internal to io).

namespace osteon::io::n88 {

inline constexpr const char* conventions = "Numerics88/Finite_Element_Model-1.0";
inline constexpr const char* type_of_displacements = "NodeAxisDisplacement";
inline constexpr const char* type_of_forces = "NodeAxisForce";
inline constexpr const char* type_of_materials = "LinearIsotropic";

/// Sense of an axis (x, y, z: 1, 2, 3) and axis of a sense.
constexpr int sense_of(int axis) { return 3 - axis; }
constexpr int axis_of_sense(int sense) { return 3 - sense; }

}  // namespace osteon::io::n88
