#pragma once
/// @file
/// The parallel part of a job. The input is a model file, and the output consists of results, picture and summary.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/checkpoint.hpp>
#include <osteon/job/spec.hpp>
#include <string>

namespace osteon::job {

/// Solve the job on the imported model. Write results.nc, results.xdmf, the picture, summary.json and manifest.json. Return
/// the summary on rank 0; on other ranks, the result is empty.
/// @param started time at which the command of the user began, in the format of ISO 8601
/// @throws interrupted_error if a request stopped the job; the job has then written a checkpoint
/// @throws solve_error after writing a summary and results that are marked as not converged
/// @collective on comm
nlohmann::ordered_json compute(MPI_Comm comm, const spec& job, const std::string& command, const std::string& started,
                               log_sink& log, const checkpoint_options& checkpoints = {});

}  // namespace osteon::job
