#pragma once
/// @file
/// Requests to stop a job (docs/reference/checkpoint.md). Every stage polls for requests between its steps. On a request,
/// the stage throws an interrupted_error.
#include <mpi.h>

#include <functional>
#include <string>

namespace osteon::job {

struct spec;

/// Returns true if the job must stop. An empty function never stops the job.
using stop_query = std::function<bool()>;

/// Stop a serial stage if a stop has been requested.
/// @param during activity of the stage for the message, for example "reading the image"
/// @throws interrupted_error with a description of how to continue the job @collective local
void stop_if_requested(const stop_query& is_to_stop, const spec& job, const std::string& during);

/// Stop a stage on all ranks if any rank has received a request. @throws interrupted_error @collective on comm
void stop_together_if_requested(MPI_Comm comm, const stop_query& is_to_stop, const spec& job, const std::string& during);

}  // namespace osteon::job
