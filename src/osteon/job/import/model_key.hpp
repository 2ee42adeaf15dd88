#pragma once
/// @file
/// What the model of a job with an image is known by.
#include <functional>
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// All values of a job that its model depends on besides the bytes of the images, as JSON, with the version of the program.
std::string rules_of_model(const spec& job);

/// Digest of the bytes of the image files (of a folder of slices the names, sizes and times): that of the file, of several
/// SHA-256 of all of theirs. It is `digests.images` of the job where that is known.
/// @param poll called now and then while files are read; it may throw
/// @throws machine_error, data_error if a file cannot be read @cost reads all images @collective local
std::string digest_of_images(const spec& job, const std::function<void()>& poll = {});

/// SHA-256 of the rules by which the model is made, this version of the program among them, and of the digest of the
/// images. It is `key` in the model's provenance. @throws as digest_of_images @collective local
std::string key_of_model(const spec& job, const std::function<void()>& poll = {});

/// The digests of a job, for `digests` of the specs that this process and its ranks make of its text. Empty if it has no
/// image, or an image file is missing. @throws as digest_of_images, interrupted_error @collective local
image_digests digests_of(const spec& job, const stop_query& is_to_stop);

/// Digest of the label images that name nodes or faces, which are not part of the model; empty if the job has none.
std::string key_of_label_images(const spec& job, const std::function<void()>& poll = {});

}  // namespace osteon::job
