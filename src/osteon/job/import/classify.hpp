#pragma once
/// @file
/// The rules of a job by which an image becomes solid and gets materials.
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/segment.hpp>

namespace osteon::job {

/// The images of a job, cropped, all of the same shape.
struct job_images {
  voxel::image_planes scan;
  std::optional<voxel::image_planes> modulus, poisson;
  std::optional<voxel::calibration> stated;  ///< density of a grey value, as the scan's file states it
};

/// Segment the scan and give every solid voxel a material; the result reads the images again. @throws data_error
voxel::segmented classify(const spec& job, const job_images& images);

/// What classify found, as `segmentation` of summary.json.
nlohmann::ordered_json describe(const spec& job, const job_images& images, const voxel::segmented& model);

}  // namespace osteon::job
