#pragma once
/// @file
/// What the model of a job with an image is known by.
#include <functional>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// All values of a job that its model depends on besides the bytes of the images, as JSON, with the version of the program.
std::string rules_of_model(const spec& job);

/// SHA-256 of the rules by which the model is made, this version of the program among them, and of the image files' bytes
/// (of a folder of slices the names, sizes and times). It is `key` in the model's provenance.
/// @param poll called now and then while files are read; it may throw
/// @throws machine_error, data_error if a file cannot be read @cost reads all images @collective local
std::string key_of_model(const spec& job, const std::function<void()>& poll = {});

/// The same of the label images that name nodes or faces, which are not part of the model; empty if the job has none.
std::string key_of_label_images(const spec& job, const std::function<void()>& poll = {});

}  // namespace osteon::job
