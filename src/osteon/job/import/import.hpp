#pragma once
/// @file
/// Conversion of the image of a job to a model file, by one process.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/import/image_files.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/voxel/count_nodes.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Result of an import.
struct imported_model {
  std::string path;
  index3 shape;
  bool reused = false;                     ///< the file existed and contained this model
  std::optional<voxel::node_count> nodes;  ///< number of voxel corners of the solid
  std::string provenance_json;             ///< image and segmentation, as they appear in summary.json
  nlohmann::ordered_json to_json() const;
};

/// Read the image of a job, segment the image, assign materials and write the model. If `path` already contains this model,
/// the function reuses the model. A job can have another source (model_source.hpp) instead of an image.
/// @param is_to_stop called between the steps
/// @throws data_error (image, segmentation), usage_error (spacing), machine_error (disk), interrupted_error
/// @collective local
imported_model import_model(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop = {});

/// Import the image of a job without checking that its files exist. @throws as import_model @collective local
imported_model import_image(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop = {});

/// Create the parent folder of a file if it is missing. @throws machine_error
void make_folder_of(const std::string& path);

/// Return the import warnings stored in a model.
std::vector<std::string> warnings_of_import(const std::string& provenance_json);

}  // namespace osteon::job
