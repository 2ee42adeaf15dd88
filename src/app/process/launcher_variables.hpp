#pragma once
/// @file
/// The environment variables by which a launcher identifies the processes that it starts.
#include <optional>

namespace osteon::app {

/// Number of processes that the launcher of this one has started: 0 if its variables do not state it; nothing if there is no
/// launcher.
std::optional<int> launched_processes();

/// Rank of this process by those variables; 0 if they do not state it.
int launched_rank();

/// Number of processes of a step of Slurm that are no ranks of one MPI world (srun --mpi=none); 0 outside of a step.
int processes_of_step();

/// Remove these variables. Programs that are started later are processes of their own: a launcher among them takes no part
/// in the world of the first one, and its ranks do not join it.
void drop_launcher_variables();

}  // namespace osteon::app
