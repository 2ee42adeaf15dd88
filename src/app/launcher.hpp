#pragma once
/// @file
/// Starting the ranks of a job on this machine.
#include <string>
#include <vector>

namespace osteon::app {

/// Whether this process was started by mpirun, mpiexec or srun.
bool under_launcher();

/// Path of this executable.
std::string own_path();

/// Start `ranks` processes of `arguments` by mpirun and wait for them; SIGINT is passed on to them, and
/// SIGTERM and SIGUSR1 as a request to write a checkpoint and end.
/// @return the exit code of the ranks
/// @throws machine_error if mpirun cannot be started
int start_ranks(int ranks, int threads, const std::vector<std::string>& arguments);

}  // namespace osteon::app
