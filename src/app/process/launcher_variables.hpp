#pragma once
/// @file
/// The environment variables by which a launcher identifies the processes that it starts.
#include <optional>

namespace osteon::app {

/// Number of processes started by the launcher of this process: 0 if its variables do not state it; none without a launcher.
std::optional<int> launched_processes();

/// Rank of this process by those variables; 0 if they do not state it.
int launched_rank();

/// Number of processes of a Slurm step that do not share an MPI world (srun --mpi=none); 0 outside of a step.
int processes_of_step();

/// Remove these variables. Programs started later are independent: a launcher among them and its ranks do not join the MPI
/// world of the first launcher.
void drop_launcher_variables();

}  // namespace osteon::app
