#pragma once
/// @file
/// What a finished job says of itself: the summary of its answers and the manifest of its run.
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

struct job_state;

/// Make the summary of a job on rank 0, but for its files. @collective on state.comm
void summarise(job_state& state);

/// Write summary.json with the warnings until now; rank 0 does. @throws machine_error @collective local
void write_summary(job_state& state);

/// The document manifest.json: versions, hosts, times, the job's text. Local.
nlohmann::ordered_json describe_run(const job_state& state, const std::vector<std::string>& hosts);

/// The summary that a job has written. @throws machine_error if it cannot be read @collective local
nlohmann::ordered_json read_summary(const spec& job);

/// Add warnings to the summary of a job that has been run. @throws machine_error
void add_warnings(const spec& job, std::span<const std::string> texts);

}  // namespace osteon::job
