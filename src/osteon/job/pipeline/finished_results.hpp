#pragma once
/// @file
/// Detection of finished results of a job.
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// SHA-256 of all inputs of the results of a job with an image: its keys (digest_of_result_keys), its images and the version
/// of the program. Empty if a job has no image, or a label image cannot be read.
/// @param model_key as key_of_model; empty: none @collective local
std::string identity_of_results(const spec& job, const std::string& model_key);

/// Return true if the output directory contains finished results of this job: a manifest with the same identity, a summary
/// with status `done`, and the results file. Results of earlier versions without an identity do not match.
/// @cost reads the bytes of all images @collective local
bool has_finished_results(const spec& job, const stop_query& is_to_stop = {});

}  // namespace osteon::job
