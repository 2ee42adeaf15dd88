#pragma once
/// @file
/// Starting the ranks of a job on this machine.
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::app {

/// Return true if this process is a rank: started by mpirun, mpiexec or srun, or by start_ranks. The only process of a
/// launcher (a shell of srun --pty) is none where `wanted` ranks are asked for: it starts them.
bool under_launcher(int wanted = 1);

/// Path of this executable.
std::string own_path();

/// Refuse to be one of several processes that were started as ranks and do not find each other.
/// @param world_size of MPI_COMM_WORLD; 1 before MPI begins
/// @throws usage_error; its text is empty in all processes but one
void refuse_copies(int world_size);

/// Who writes the answer that `--json -` asks for.
enum class answer_by { ranks, parent };

/// Start `ranks` processes of this program with the words of a command line, and wait for them: by a launcher
/// (OSTEON_MPIRUN, or OSTEON_MPIRUN_BESIDE, or mpirun), or without where it is one rank outside of a batch system and
/// OSTEON_MPIRUN names none. A first Ctrl-C, SIGTERM or SIGUSR1 asks them to stop in order, a second Ctrl-C or SIGTERM ends
/// them, and with them the launcher and its process group.
/// @param digests of the images of their job, which the ranks do not read
/// @return the exit code of the ranks
/// @throws machine_error if mpirun cannot be started, usage_error as refuse_copies
int start_ranks(int ranks, int threads, const std::vector<std::string>& words, answer_by by = answer_by::ranks,
                const job::image_digests& digests = {});

}  // namespace osteon::app
