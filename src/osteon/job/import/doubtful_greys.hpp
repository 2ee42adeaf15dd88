#pragma once
/// @file
/// Images whose values are hardly meant as the job takes them: labels as grey values, grey values as labels, and a threshold
/// that separates air from the rest.
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <osteon/voxel/segment.hpp>
#include <vector>

namespace osteon::job {

/// The values of an image in ascending order, if they are whole numbers and at most `most`; else none. Stops at the first
/// plane with more.
std::vector<double> few_values_of(const voxel::image_planes& scan, std::size_t most);

/// Warn of them. @param facts of the image's file: its unit @throws data_error as reading does
void warn_of_doubtful_greys(const spec& job, const voxel::image_planes& scan, const voxel::segmentation_report& found,
                            const nlohmann::ordered_json& facts, log_sink& log);

}  // namespace osteon::job
