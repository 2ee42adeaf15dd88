#pragma once
/// @file
/// Requests to end a job (docs/reference/checkpoint.md). Every stage asks between its steps, and leaves by an
/// interrupted_error.
#include <mpi.h>

#include <functional>
#include <string>

namespace osteon::job {

struct spec;

/// Whether the job was asked to end. Empty: never.
using stop_query = std::function<bool()>;

/// Leave a stage that one process does by itself, if that is asked for.
/// @param during what the stage does, for the message: "reading the image"
/// @throws interrupted_error, which says how the job goes on @collective local
void leave_if_asked(const stop_query& is_to_stop, const spec& job, const std::string& during);

/// The same for a stage of all ranks: they leave if any was asked. @throws interrupted_error @collective on comm
void leave_together_if_asked(MPI_Comm comm, const stop_query& is_to_stop, const spec& job, const std::string& during);

}  // namespace osteon::job
