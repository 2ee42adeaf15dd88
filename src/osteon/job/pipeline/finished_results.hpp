#pragma once
/// @file
/// Whether a job has been done already.
#include <osteon/job/spec.hpp>
#include <osteon/job/stop.hpp>
#include <string>

namespace osteon::job {

/// SHA-256 of all that the results of a job with an image depend on: its keys (digest_of_result_keys), its images, the
/// version of the program. Empty where a job has no image, or a label image cannot be read.
/// @param model_key as key_of_model; empty: there is none @collective local
std::string identity_of_results(const spec& job, const std::string& model_key);

/// Whether the output directory holds finished results of this very job: a manifest of the same identity, a summary that
/// says `done`, and the file of the results. An earlier version wrote no identity: then it does not.
/// @cost reads the bytes of all images @collective local
bool has_finished_results(const spec& job, const stop_query& is_to_stop = {});

}  // namespace osteon::job
