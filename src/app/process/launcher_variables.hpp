#pragma once
/// @file
/// Environment variables by which a launcher identifies its processes.
#include <optional>

namespace osteon::app {

/// Number of processes that the launcher of this process started; 0 if the launcher variables do not contain the number;
/// none without a launcher.
std::optional<int> launched_processes();

/// Rank of this process by the launcher variables; 0 if the variables do not contain the rank.
int launched_rank();

/// Number of processes of a Slurm step that do not share an MPI world (srun --mpi=none); 0 outside of a step.
int processes_of_step();

/// Remove the launcher variables, so that programs that start later are independent. A later launcher and its ranks then do
/// not join the MPI world of the first launcher.
void drop_launcher_variables();

}  // namespace osteon::app
