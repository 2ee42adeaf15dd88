#pragma once
/// @file
/// The standard mechanical tests: their supports, and the stiffness that is read off them.
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/physics/elasticity/loads/apparent_area.hpp>
#include <osteon/physics/elasticity/loads/loads.hpp>
#include <osteon/physics/elasticity/loads/pins.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// What a standard test measures on its driven face.
struct measure {
  std::string test;
  node_set_ptr driven;
  bool turns = false;            ///< the face is turned, and the load is a moment
  axis along;                    ///< of the displacement and the force, or of the angle and the moment
  vector3 about_mm{};            ///< of the moment
  double amount = 0;             ///< displacement [mm] or angle [rad]
  std::optional<double> wanted;  ///< load [N or N mm] to which the solution is to be scaled
  double length_mm = 0;          ///< distance of the faces
  apparent_area area;            ///< across the axis of the test
};

/// A standard test.
struct standard_test {
  std::vector<support> supports;
  measure what;
  std::optional<pin_rule> pins;  ///< of a test without friction
};

/// The supports of a test other than custom, without its pins.
/// @throws data_error if a face has no node, or the faces leave no distance between them @collective
standard_test make_test(const node_sets& sets, const load_spec& load, const std::string& test);

/// Stiffnesses and moduli, as keys of summary.json. @param load that the driven face bears, N or N mm
nlohmann::ordered_json measured(const measure& m, double load);

}  // namespace osteon::physics
