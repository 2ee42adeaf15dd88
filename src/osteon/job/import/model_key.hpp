#pragma once
/// @file
/// Digests that identify the model of a job with an image.
#include <functional>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// Return as JSON the version of the program and all values of a job on which the model depends, except the image data.
std::string rules_of_model(const spec& job);

/// Return the digest of the image files. The digest of a folder of slices is computed from the names, sizes and times of the
/// files. The digest of several files is the SHA-256 of their digests. If `digests.images` of the job is set, the function
/// returns this value.
/// @param poll called periodically while files are read; it may throw
/// @throws machine_error, data_error if a file cannot be read @cost reads all images @collective local
std::string digest_of_images(const spec& job, const std::function<void()>& poll = {});

/// Return the SHA-256 of rules_of_model() and digest_of_images(). The provenance of the model stores it as `key`. @throws as
/// digest_of_images @collective local
std::string key_of_model(const spec& job, const std::function<void()>& poll = {});

/// Return the image digests of a job. Later specs of the same text reuse the digests. The digests are empty if the job has
/// no image, or an image file is missing. @throws as digest_of_images, interrupted_error @collective local
image_digests digests_of(const spec& job, const stop_query& is_to_stop);

/// Return the digest of the label images that select nodes or faces and are not part of the model; empty if there are none.
std::string key_of_label_images(const spec& job, const std::function<void()>& poll = {});

}  // namespace osteon::job
