#pragma once
/// @file
/// Segmentation and material assignment according to the keys of a job.
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/segment.hpp>

namespace osteon::job {

/// The cropped images of a job, all of the same shape.
struct job_images {
  voxel::image_planes scan;
  std::optional<voxel::image_planes> modulus, poisson;
  std::optional<voxel::calibration> stated;  ///< density as a function of the grey value, from the scan's file
};

/// The density law of a job. @param line density as a function of the grey value
voxel::density_law law_of(const density_law_spec& law, const voxel::calibration& line);

/// Segment the scan and assign a material to every solid voxel. The returned object reads the images again. @throws
/// data_error
voxel::segmented classify(const spec& job, const job_images& images);

/// Return the results of classify() as `segmentation` of summary.json.
nlohmann::ordered_json describe_segmentation(const spec& job, const job_images& images, const voxel::segmented& model);

}  // namespace osteon::job
