#pragma once
/// @file
/// The parallel part of a job: from the model file to results, picture and summary.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// Solve the job on the imported model, write results.nc, results.xdmf, the picture, summary.json and manifest.json, and
/// return the summary (on rank 0; empty elsewhere).
/// @param started time at which the user's command began, ISO 8601
/// @throws interrupted_error if the job was stopped on request, after writing a checkpoint
/// @throws solve_error after writing a summary and results marked as not converged
/// @collective on comm
nlohmann::ordered_json compute(MPI_Comm comm, const spec& job, const std::string& command, const std::string& started,
                               log_sink& log, const checkpoint_options& checkpoints = {});

}  // namespace osteon::job
