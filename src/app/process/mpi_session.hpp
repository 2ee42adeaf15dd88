#pragma once
/// @file
/// MPI session of collective commands. A collective command runs on one rank, or on several ranks under a launcher.
#include <mpi.h>

#include <common/run_folder.hpp>
#include <functional>
#include <optional>

namespace osteon::app {

/// Initialises and finalises MPI. A process without a launcher has a folder for the temporary files of MPI.
class mpi_of_process {
 public:
  explicit mpi_of_process(int threads);  ///< MPI_THREAD_...
  ~mpi_of_process();
  mpi_of_process(const mpi_of_process&) = delete;
  mpi_of_process& operator=(const mpi_of_process&) = delete;

 private:
  std::optional<run_folder> folder_;
};

/// Initialise MPI, call `body` on all ranks, finalise MPI. One rank prints an error that all ranks throw.
/// @return the exit code of the program
int on_all_ranks(const std::function<void(MPI_Comm)>& body);

}  // namespace osteon::app
