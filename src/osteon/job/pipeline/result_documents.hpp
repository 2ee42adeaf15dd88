#pragma once
/// @file
/// Documents of a finished job: the summary of its answers and the manifest of its run.
#include <nlohmann/json.hpp>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

struct job_state;

/// Create the summary of a job on rank 0, without its files. @collective on state.comm
void summarise(job_state& state);

/// Write summary.json with all warnings so far, on rank 0. @throws machine_error @collective local
void write_summary(job_state& state);

/// The document manifest.json: versions, hosts, times, the job's text. Local.
nlohmann::ordered_json describe_run(const job_state& state, const std::vector<std::string>& hosts);

/// Read the summary written by a job. @throws machine_error if it cannot be read @collective local
nlohmann::ordered_json read_summary(const spec& job);

/// Add warnings to the summary of a finished job. @throws machine_error
void add_warnings(const spec& job, std::span<const std::string> texts);

}  // namespace osteon::job
