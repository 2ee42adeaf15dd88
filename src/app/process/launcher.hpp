#pragma once
/// @file
/// Start of the ranks of a job on this machine.
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::app {

/// Return true if this process is a rank, started by mpirun, mpiexec, srun or start_ranks. If `wanted` > 1, the only process
/// of a launcher (a shell of srun --pty) is not a rank, because this process starts the ranks.
bool under_launcher(int wanted = 1);

/// Path of this executable.
std::string own_path();

/// Reject processes that were started as ranks but do not share an MPI world.
/// @param world_size size of MPI_COMM_WORLD; 1 before MPI is initialised
/// @throws usage_error, with an empty text in all processes except one
void reject_independent_copies(int world_size);

/// Writer of the answer of `--json -`.
enum class answer_by { ranks, parent };

/// Start `ranks` processes of this program with `arguments` and wait for their end. The launcher is OSTEON_MPIRUN,
/// srun in an allocation of Slurm (app/process/srun.hpp), OSTEON_MPIRUN_BESIDE or mpirun. A single rank outside of a batch
/// system starts without a launcher unless OSTEON_MPIRUN is set. A first Ctrl-C, SIGTERM or SIGUSR1 requests an orderly
/// stop. A second Ctrl-C or SIGTERM kills the ranks, the launcher and its process group.
/// @param digests image digests of the job, because the ranks do not read the images
/// @return the exit code of the ranks
/// @throws machine_error if mpirun does not start, usage_error as reject_independent_copies
int start_ranks(int ranks, int threads, const std::vector<std::string>& arguments, answer_by by = answer_by::ranks,
                const job::image_digests& digests = {});

}  // namespace osteon::app
