#pragma once
/// @file
/// Documents of a finished job. The summary contains the answers, and the manifest describes the run.
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

struct job_state;

/// Create the summary of a job on rank 0. The summary does not yet contain the names of files. @collective on state.comm
void summarise(job_state& state);

/// Write summary.json with all previous warnings on rank 0. @throws machine_error @collective local
void write_summary(job_state& state);

/// The document manifest.json. The manifest contains versions, hosts, times and the text of the job. The function is local.
nlohmann::ordered_json describe_run(const job_state& state, const std::vector<std::string>& hosts);

/// Read the summary that a job has written. @throws machine_error if the summary cannot be read @collective local
nlohmann::ordered_json read_summary(const spec& job);

/// Add warnings to the summary of a finished job. @throws machine_error
void add_warnings(const spec& job, std::span<const std::string> texts);

}  // namespace osteon::job
