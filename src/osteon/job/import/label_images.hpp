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

/// Path of the labels of an image as a file for the ranks, next to the model. @param image as in set.image
std::string label_file(const spec& job, const std::string& image, const std::string& model_path);

/// Read the label images of a job and write them as files that ranks read like the model. Value 0 is an unused label, value
/// n the n-th material of the file; materials are named after their labels.
/// Files with compartments store the `greys` of the labels in their provenance: lists `voxels` and `sums`, by number.
/// @param model the header of the scan's model @param read_greys returns the scan after the steps of the job; called if
/// there are compartments
/// @param log receives warnings of the readers
/// @throws data_error if an image has another shape than the scan, contains fractions, or lacks a label @collective local
void import_label_images(const spec& job, const std::string& model_path, const voxel::model_header& model,
                         const std::function<voxel::image_planes()>& read_greys, log_sink& log,
                         const stop_query& is_to_stop = {});

}  // namespace osteon::job
