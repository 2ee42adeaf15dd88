#pragma once
/// @file
/// Digests that identify the model of a job with an image.
#include <functional>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// Return all values of a job on which its model depends, except the image data, and the version of the program as JSON.
std::string rules_of_model(const spec& job);

/// Return the digest of the image files (of a folder of slices: names, sizes and times). For several files it is the SHA-256
/// of their digests. Returns `digests.images` of the job if it is set.
/// @param poll called periodically while files are read; it may throw
/// @throws machine_error, data_error if a file cannot be read @cost reads all images @collective local
std::string digest_of_images(const spec& job, const std::function<void()>& poll = {});

/// Return the SHA-256 of rules_of_model() and digest_of_images(). The provenance of the model stores it as `key`. @throws as
/// digest_of_images @collective local
std::string key_of_model(const spec& job, const std::function<void()>& poll = {});

/// Return the image digests of a job, so that specs parsed later from the same text need not compute them. Empty if the job
/// has no image, or an image file is missing. @throws as digest_of_images, interrupted_error @collective local
image_digests digests_of(const spec& job, const stop_query& is_to_stop);

/// Return the digest of the label images that select nodes or faces and are not part of the model; empty if there are none.
std::string key_of_label_images(const spec& job, const std::function<void()>& poll = {});

}  // namespace osteon::job
