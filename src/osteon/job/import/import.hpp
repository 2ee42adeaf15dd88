#pragma once
/// @file
/// From the image of a job to a model file. Serial: one process does it.
#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/voxel/count_nodes.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// What import made or found.
struct imported_model {
  std::string path;
  index3 shape;
  bool reused = false;                     ///< the file was there already, made from the same image by the same rules
  std::optional<voxel::node_count> nodes;  ///< corners of the solid's voxels
  std::string provenance_json;             ///< image and segmentation, as they appear in summary.json
  nlohmann::ordered_json to_json() const;
};

/// Read the job's image, segment it, give it materials and write the model, unless `path` already holds that model; or read
/// it from where else the job has it (model_source.hpp).
/// @param is_to_stop asked between the steps
/// @throws data_error (image, segmentation), usage_error (spacing), machine_error (disk), interrupted_error
/// @collective local
imported_model import_model(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop = {});

/// The same of a job that has an image, whose files are there. @throws as import_model @collective local
imported_model import_image(const spec& job, const std::string& path, log_sink& log, const stop_query& is_to_stop = {});

/// Make the folder that a file is to be written into, if it is not there. @throws machine_error
void make_folder_of(const std::string& path);

/// What is wrong with the job's image files as far as can be told without reading them whole; `where` is the key.
std::vector<problem> check_image_files(const spec& job);

/// Warnings that a model keeps from its import.
std::vector<std::string> warnings_of_import(const std::string& provenance_json);

/// Path of the image: relative paths are relative to the job file.
std::string image_path(const spec& job);

}  // namespace osteon::job
