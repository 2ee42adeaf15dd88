#pragma once
/// @file
/// Warnings about improbable image values: labels segmented as grey values, grey values read as labels, and a threshold
/// between air and tissue.
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <osteon/voxel/segment.hpp>

namespace osteon::job {

/// Warn if the image values do not match the keys of the job. @param facts metadata of the image file, with its unit
/// @throws data_error if the image cannot be read
void warn_of_doubtful_greys(const spec& job, const voxel::image_planes& scan, const voxel::segmentation_report& found,
                            const nlohmann::ordered_json& facts, log_sink& log);

}  // namespace osteon::job
