#pragma once
/// @file
/// Answers of all physics with displacements.
#include <osteon/job/answers.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

inline answer mean_sed(const char* meaning) { return {"sed_MPa.mean", "strain energy density, mean", "MPa", meaning}; }

inline answer high_sed() { return {"sed_MPa.p98", "strain energy density, 98 %", "MPa", "98th percentile over the solid."}; }

inline answer area_of_modulus() {
  return {"apparent_area_mm2", "area of the apparent modulus", "mm2",
          "Reference area normal to the axis of the test, selected by load.area and load.area_mm2."};
}

inline answer definition_of_area() {
  return report_only({"apparent_area_definition", "definition of the area", "",
                      "Convex outline of the solid, box of the image, bounding box of the solid, its mean cross-section, or "
                      "value of the job."});
}

}  // namespace osteon::physics
