#pragma once
/// @file
/// Label images: voxels that are chosen for sets, or by a physics, perhaps in another image than the scan.
#include <functional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <osteon/voxel/image_planes.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The label image of a compartment, as the job names it.
std::string label_image_of(const spec& job, const compartment_spec& compartment);

/// The label images that a job names, as it names them.
std::vector<std::string> label_images_of(const spec& job);

/// Where the labels of an image are kept for the ranks, beside the model. @param image as in set.image
std::string label_file(const spec& job, const std::string& image, const std::string& model_path);

/// Read the label images of a job and write them as files that ranks can read like the model. Value 0 is a label that
/// nothing asks for, value n the n-th of the file's materials, which are named after their labels.
/// Files that have compartments keep in their provenance what `greys` the labels have: lists `voxels` and `sums`, by number.
/// @param model the header of the scan's model @param read_greys the scan as the job takes it; called if there are
/// compartments
/// @param log receives what the readers warn of
/// @throws data_error if an image has another shape than the scan, holds no whole numbers, or lacks a label @collective
/// local
void import_label_images(const spec& job, const std::string& model_path, const voxel::model_header& model,
                         const std::function<voxel::image_planes()>& read_greys, log_sink& log,
                         const stop_query& is_to_stop = {});

}  // namespace osteon::job
