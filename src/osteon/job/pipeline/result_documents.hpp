#pragma once
/// @file
/// What a finished job says of itself: its results file, the summary of its answers and the manifest of its run.
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/file_report.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_result.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Write results.nc and results.xdmf, or those of each cluster, and remove what lies there of an earlier job.
/// @param command that was run, for the file's history
/// @param poll called before each field; it may throw to leave
/// @param files receives their names @throws machine_error on all ranks @collective on part.where.comm
io::file_report write_results(const output_paths& paths, const spec& job, const local_model& part,
                              const physics_result& result, const std::string& command, const std::function<void()>& poll,
                              log_sink& log, nlohmann::ordered_json& files);

/// Largest number of active voxels on a rank over the mean.
/// @param elements of all ranks @collective on part.where.comm
double imbalance_of(const local_model& part, std::int64_t elements);

/// What a run took, on all ranks.
struct run_cost {
  double imbalance = 1, cpu_seconds = 0, peak_bytes = 0;
  nlohmann::ordered_json stages;  ///< name, seconds, cpu_seconds
};

/// The document summary.json of a job, but for what it says of files and of the solver's share of the machine. Local.
nlohmann::ordered_json summarise(const spec& job, const local_model& part, const physics_result& result,
                                 const run_cost& cost);

/// The summary that a job has written. @throws machine_error if it cannot be read @collective local
nlohmann::ordered_json read_summary(const spec& job);

/// The document manifest.json: versions, hosts, times, the job's text. Local.
nlohmann::ordered_json describe_run(const spec& job, const local_model& part, const std::vector<std::string>& hosts,
                                    const std::string& command, const std::string& started);

}  // namespace osteon::job
