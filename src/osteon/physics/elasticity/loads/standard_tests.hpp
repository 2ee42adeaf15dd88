#pragma once
/// @file
/// Supports and results of the standard mechanical tests.
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/elasticity/loads/loads.hpp>
#include <osteon/physics/elasticity/solver/part_motions.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>
#include <string>

namespace osteon::physics {

/// An area and its definition.
struct apparent_area {
  double area_mm2 = 0;
  std::string definition;  ///< a phrase without a verb
};

/// First and last voxel of a row of a plane; last < first: empty row.
struct row_ends {
  std::int64_t first = 0, last = -1;
};

/// Count the voxels of a plane with centres in the convex hull of the centres of `rows`. The count is exact for voxelised
/// convex shapes.
/// @param rows consecutive rows of the plane, with their outermost voxels @collective local
std::int64_t voxels_in_outline(std::span<const row_ends> rows);

/// Area normal to `across` by the definition chosen for the load.
/// @param encloses the test constrains the sides of the box, and the default area is the box
/// @param box_mm edges of the box with the loaded faces @collective on part.where.comm
apparent_area area_of(const drive_spec& load, const local_model& part, axis across, bool encloses, const vector3& box_mm);

/// The rigid motions permitted by the plates of a test, and the preferred positions of the pins.
struct pin_rule {
  node_set_ptr plate;                ///< preferred set of pinned nodes
  std::vector<int> axes;             ///< translations, in order of preference
  std::vector<motion_mask> permits;  ///< motions permitted by each pair of opposite plates
};

/// Data of a load case for the choice of pins.
struct pinned_case {
  std::optional<pin_rule> rule;     ///< pin rule of a test without friction
  std::span<const support> plates;  ///< plates of the test
  bool has_forces = false;          ///< forces can do work in a rigid motion; a pin would have a non-zero reaction
  std::span<const numerics::prescribed_displacement> fixed;
};

/// Pin the parts that carry load and can move without deformation. Each rigid component is pinned once. The pinned parts
/// are:
/// - in a test without friction: parts that move only as permitted by the plates, and parts that connect the plates;
/// - without forces: parts that connect other parts at two places, such as a strut that rotates about the line between two
///   nodes. Other movable parts carry no load and remain loose.
/// @return one support for each combination of constrained axes @collective
std::vector<support> make_pins(const node_sets& sets, const solid_parts& parts, const pinned_case& c);

/// Quantities of a standard test on its driven face.
struct measure {
  elastic_test test = elastic_test::axial_bonded;
  node_set_ptr driven;
  bool turns = false;            ///< the face rotates, and the load is a moment
  axis along;                    ///< axis of the displacement and the force, or of the angle and the moment
  vector3 about_mm{};            ///< centre of the moment
  double amount = 0;             ///< displacement [mm] or angle [rad]
  std::optional<double> wanted;  ///< load [N or N mm] to which the solution is scaled
  double length_mm = 0;          ///< distance between the faces
  apparent_area area;            ///< across the axis of the test
};

/// A standard test.
struct standard_test {
  std::vector<support> supports;
  measure measures;
  std::optional<pin_rule> pins;  ///< pins of a test without friction
};

/// Create the supports of a test other than custom, without pins.
/// @throws data_error if a face contains no node, or the faces coincide @collective
standard_test make_test(const node_sets& sets, const mechanical_load& load, elastic_test test);

/// Stiffnesses and moduli, as keys of summary.json. @param load reaction of the driven face [N or N mm]
nlohmann::ordered_json measured(const measure& m, double load);

}  // namespace osteon::physics
