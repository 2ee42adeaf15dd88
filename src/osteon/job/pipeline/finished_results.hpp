#pragma once
/// @file
/// Detection of finished results of a job.
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// SHA-256 of all inputs that determine the results of a job with an image. The inputs are the keys (digest_of_result_keys),
/// the images and the version of the program. If the job has no image, or if a label image cannot be read, the text is
/// empty.
/// @param model_key result of key_of_model; empty: no key @collective local
std::string identity_of_results(const spec& job, const std::string& model_key);

/// Return true if the output directory contains finished results of this job. Finished results consist of a manifest with
/// the same identity, a summary with the status `done`, and the results file. Results of earlier versions without an
/// identity do not match.
/// @cost the function reads the bytes of all images @collective local
bool has_finished_results(const spec& job, const stop_query& is_to_stop = {});

}  // namespace osteon::job
