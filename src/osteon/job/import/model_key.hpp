#pragma once
/// @file
/// Digests that identify the model of a job with an image.
#include <functional>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// All values of a job on which its model depends, except the bytes of the images, as JSON, with the version of the program.
std::string rules_of_model(const spec& job);

/// Digest of the bytes of the image files (for a folder of slices: of names, sizes and times): that of the file; for several
/// files the SHA-256 of their digests. It is `digests.images` of the job where that is known.
/// @param poll called periodically while files are read; it may throw
/// @throws machine_error, data_error if a file cannot be read @cost reads all images @collective local
std::string digest_of_images(const spec& job, const std::function<void()>& poll = {});

/// SHA-256 of the rules of the model, including this version of the program, and of the digest of the images. It is `key` in
/// the model's provenance. @throws as digest_of_images @collective local
std::string key_of_model(const spec& job, const std::function<void()>& poll = {});

/// Digests of a job, for `digests` of the specs that this process and its ranks parse from the same text. Empty if the job
/// has no image, or an image file is missing. @throws as digest_of_images, interrupted_error @collective local
image_digests digests_of(const spec& job, const stop_query& is_to_stop);

/// Digest of the label images that select nodes or faces, which are not part of the model; empty if the job has none.
std::string key_of_label_images(const spec& job, const std::function<void()>& poll = {});

}  // namespace osteon::job
