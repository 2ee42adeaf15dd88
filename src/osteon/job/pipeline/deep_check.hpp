#pragma once
/// @file
/// A check of a job that also describes the loads.
#include <osteon/job/pipeline/before_run.hpp>

namespace osteon::job {

/// Additional outputs of `check_image`.
struct deep_check {
  bool loads = false;  ///< true: describe the loads (resolve_loads)
  std::string volume;  ///< file for the numbers of the sets of voxels; empty: no file
  std::string folder;  ///< folder of the model; an existing model of this image is used; empty: a temporary folder
};

/// Overload with additional outputs.
/// @param loads sets, supports and forces on the solid; null: not requested or unknown
image_check check_image(MPI_Comm comm, const spec& job, std::int64_t most_voxels, const deep_check& deep,
                        nlohmann::ordered_json& loads);

}  // namespace osteon::job
