#pragma once
/// @file
/// A check of a job that tells more than its faults.
#include <osteon/job/pipeline/before_run.hpp>

namespace osteon::job {

/// What `check_image` does beside looking for faults.
struct deep_check {
  bool loads = false;  ///< tell the loads (resolve_loads)
  std::string volume;  ///< write the numbers of their sets to this file; empty: do not
  std::string folder;  ///< keep the model there, and take it from there if it is of this image; empty: it is passing
};

/// As check_image without `deep`.
/// @param loads sets, supports and forces as they are on the solid; null: not asked for, or not known
image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels, const deep_check& deep,
                        nlohmann::ordered_json& loads);

}  // namespace osteon::job
