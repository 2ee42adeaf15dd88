#pragma once
/// @file
/// Answers that physics of displacements have in common.
#include <osteon/job/answers.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

inline answer mean_sed(const char* meaning) {
  return {.key = "sed_MPa.mean", .title = "strain energy density, mean", .unit = "MPa", .meaning = meaning};
}

inline answer high_sed() {
  return {.key = "sed_MPa.p98",
          .title = "strain energy density, 98 %",
          .unit = "MPa",
          .meaning = "98 % of the solid lie below."};
}

inline answer area_of_modulus() {
  return {.key = "apparent_area_mm2",
          .title = "area of the apparent modulus",
          .unit = "mm2",
          .meaning = "Across the axis of the test; load.area and load.area_mm2 choose it."};
}

inline answer definition_of_area() {
  return {.key = "apparent_area_definition",
          .title = "definition of this area",
          .meaning =
              "The convex outline of the solid, the box of the image, the box around the solid, its mean section, or a "
              "number of the job.",
          .in_table = false};
}

}  // namespace osteon::physics
