#pragma once
/// @file
/// Effect of voxels that only edges or corners connect. To measure this effect, the job is solved again with the other
/// connectivity.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/variants/variant.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Return the changes of keys that define the other job, in the form of `--set`. With connectivity 26, parts that can rotate
/// freely about an edge are removed, because such parts have no load.
std::vector<std::string> keys_of_other_connectivity(const spec& job);

/// If the solid has voxels that only edges or corners connect, compute the other job in the subfolder `connectivity_N` of
/// the job. Add `effect_of_connectivity` to the summary of the finished job. If the other job fails, the summary contains
/// the fault, and the results of the job remain valid.
/// @throws interrupted_error if a request stopped a solve; machine_error if the summary cannot be written
/// @collective on comm
void report_connectivity_effect(MPI_Comm comm, const spec& job, const variant_factory& make, log_sink& log,
                                const checkpoint_options& options);

/// Value and relative change of each scalar answer. @param with summary of the job with the other connectivity
nlohmann::ordered_json compare_answers(const spec& job, const nlohmann::ordered_json& summary,
                                       const nlohmann::ordered_json& with);

}  // namespace osteon::job
