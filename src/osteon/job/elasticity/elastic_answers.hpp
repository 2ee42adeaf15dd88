#pragma once
/// @file
/// Answers that physics of displacements have in common.
#include <osteon/job/answers.hpp>

namespace osteon::job {

inline answer mean_sed(const char* meaning) {
  return {.key = "sed_MPa.mean", .title = "strain energy density, mean", .unit = "MPa", .meaning = meaning};
}

inline answer high_sed() {
  return {.key = "sed_MPa.p98",
          .title = "strain energy density, 98 %",
          .unit = "MPa",
          .meaning = "98 % of the solid lie below."};
}

}  // namespace osteon::job
