#pragma once
/// @file
/// Conversion of a scan to the model of its job: spacing, segmentation, materials, provenance.
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

/// A segmented scan with its model header.
struct scan_model {
  voxel::segmented solid;      ///< reads the planes of the scan again when materials are requested
  voxel::model_header header;  ///< the provenance of the header is the text of `provenance`
  voxel::node_count nodes;     ///< number of voxel corners of the solid
  nlohmann::ordered_json provenance;
};

/// Return the image cropped as specified by the job. Does not borrow from `image`.
voxel::image_planes cropped(const spec& job, const voxel::image_planes& image);

/// Return the scan cropped, coarsened and with noise, as specified by the job. Does not borrow from `image`.
voxel::image_planes prepared_scan(const spec& job, const voxel::image_planes& image);

/// Return a job with crop_voxels equal to the box of its model, if the job crops the image to the solid; otherwise the job.
/// @param provenance_json provenance of the model
spec crop_of_model(const spec& job, const std::string& provenance_json);

/// Return the scan of prepared_scan() in the box of the model, if the job crops the image to the solid.
/// @param provenance_json provenance of the model
voxel::image_planes scan_of_model(const spec& job, const voxel::image_planes& image, const std::string& provenance_json);

/// Segment a scan, assign materials to its solid and log the result.
/// @param path file of the scan, for the provenance; empty: the scan is not from a file
/// @param key digest in the provenance; later jobs identify the model by this digest
/// @param read_other reads an overlay of the job
/// @throws data_error (image, segmentation), usage_error (spacing), and exceptions of `read_other` @collective local
scan_model make_scan_model(const spec& job, const scan& input, const std::string& path, const std::string& key,
                           const std::function<scan(const std::string&)>& read_other, log_sink& log);

}  // namespace osteon::job
