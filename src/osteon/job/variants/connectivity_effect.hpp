#pragma once
/// @file
/// What the voxels change that hang on the rest by edges and corners: a job, and the same with the other connectivity.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/variants/variant.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The keys that make the other job of it, as `--set` takes them: the other connectivity, no picture, a folder of its own in
/// that of the job. Parts that turn freely about an edge bear nothing; with 26 they are dropped.
std::vector<std::string> keys_of_other_connectivity(const spec& job);

/// Compute the other job in `connectivity_N` of the job's folder, if anything hangs, and put `effect_of_connectivity` into
/// the summary of the job, which is done. A fault of the other job is reported there; this one keeps its results.
/// @throws interrupted_error if it was stopped on request, machine_error if the summary cannot be written
/// @collective on comm
void tell_effect_of_connectivity(MPI_Comm comm, const spec& job, const maker_of_jobs& make, log_sink& log,
                                 const checkpoint_options& how);

/// Value and relative change of each answer that is one number. @param with of the job with the other connectivity
nlohmann::ordered_json compare_answers(const spec& job, const nlohmann::ordered_json& summary,
                                       const nlohmann::ordered_json& with);

}  // namespace osteon::job
