#pragma once
/// @file
/// Start of ranks by srun in an allocation of Slurm.
#include <optional>
#include <osteon/base/allocation.hpp>
#include <string>
#include <vector>

namespace osteon::app {

/// Value of srun's --mpi for an MPI library: "pmix" for Open MPI, "cray_shasta" for Cray MPICH, and "pmi2" for other
/// libraries of MPICH's family. @param mpi version text of the library
std::string mpi_type_of_srun(const std::string& mpi);

/// Sentence with the remedy if a step of Slurm was started with a process management interface (--mpi) that the MPI library
/// does not support. Empty outside of a step, and if the interface is supported or unknown. Call this function before
/// MPI_Init, which would print the failure of each process, or create n worlds of one process.
std::string wrong_mpi_of_step(const std::string& mpi);

/// True if mpirun of Open MPI started this process, but the MPI library belongs to the family of MPICH. Such a library fails
/// in MPI_Init with a text of each process.
bool is_launched_for_open_mpi(const std::string& mpi);

/// Decision on srun for the ranks of a job.
struct srun_choice {
  std::string mpi_type;  ///< value of --mpi; empty: srun does not start the ranks
  std::string reason;    ///< reason why srun cannot start the ranks; empty otherwise and outside of Slurm
};

/// Choose srun if this process is in an allocation of Slurm, and if srun offers the interface of the MPI library.
/// OSTEON_MPIRUN takes precedence, and SLURM_MPI_TYPE selects another interface. @collective local
srun_choice choose_srun(const std::optional<allocation>& batch, const std::string& mpi);

/// Words of srun before the program. The step shares its resources with other steps of the job.
std::vector<std::string> srun_command(const srun_choice& choice, const allocation& batch, int ranks, int threads);

}  // namespace osteon::app
