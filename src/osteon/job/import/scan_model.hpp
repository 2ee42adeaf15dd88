#pragma once
/// @file
/// From a scan that has been read to the model of its job: spacing, segmentation, materials, provenance.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/count_nodes.hpp>
#include <osteon/voxel/model.hpp>
#include <osteon/voxel/segment.hpp>
#include <string>

namespace osteon::job {

/// A scan as the rules of a job see it.
struct scan_model {
  voxel::segmented solid;      ///< reads the planes of the scan again when it is asked for materials
  voxel::model_header header;  ///< its provenance is `provenance` as text
  voxel::node_count nodes;     ///< corners of the solid's voxels
  nlohmann::ordered_json provenance;
};

/// A scan that has been read as the job takes it: cropped, coarsened, with its noise. Borrows nothing of `image`.
voxel::image_planes taken_scan(const spec& job, const voxel::image_planes& image);

/// The density law of a job. @param line density of a grey value
voxel::density_law law_of(const density_law_spec& law, const voxel::calibration& line);

/// Segment a scan, give its solid materials and say in the log what was found.
/// @param path of the scan, as the provenance has it; empty: it comes from no file
/// @param key of the provenance, by which a later job knows the model
/// @param read_other reads an image that the job lays over the scan
/// @throws data_error (image, segmentation), usage_error (spacing), and what `read_other` throws @collective local
scan_model make_scan_model(const spec& job, const scan& input, const std::string& path, const std::string& key,
                           const std::function<scan(const std::string&)>& read_other, log_sink& log);

}  // namespace osteon::job
