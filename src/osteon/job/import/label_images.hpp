#pragma once
/// @file
/// Label images: selections of voxels for sets or for a physics, possibly from an image other than the scan.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The label image of a compartment, as named by the job.
std::string label_image_of(const spec& job, const compartment_spec& compartment);

/// Names of the label images in a job.
std::vector<std::string> label_images_of(const spec& job);

/// Path of the file from which ranks read the labels of an image. The file is next to the model. @param image as in
/// set.image
std::string label_file(const spec& job, const std::string& image, const std::string& model_path);

/// Read the label images of a job and write the labels to files, which ranks read in the same way as the model. Value 0
/// denotes an unused label, and value n denotes the n-th material of the file. The name of a material is its label. The
/// provenance of files with compartments contains `greys` of the labels: the lists `voxels` and `sums`, indexed by label
/// number.
/// @param model the header of the scan's model @param read_greys returns the scan after the steps of the job; called if
/// there are compartments
/// @param log receives warnings of the readers
/// @throws data_error if a label image and the scan have different shapes, or the image contains fractions or lacks a label
/// @collective local
void import_label_images(const spec& job, const std::string& model_path, const voxel::model_header& model,
                         const std::function<voxel::image_planes()>& read_greys, log_sink& log,
                         const stop_query& is_to_stop = {});

}  // namespace osteon::job
