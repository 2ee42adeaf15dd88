#pragma once
/// @file
/// Commands that are collective: alone they are one rank, under a launcher one of many.
#include <mpi.h>

#include <common/run_folder.hpp>
#include <functional>
#include <optional>

namespace osteon::app {

/// MPI from its start to its end. A process that no launcher started has a folder for the temporary files of MPI.
class mpi_of_process {
 public:
  explicit mpi_of_process(int threads);  ///< MPI_THREAD_...
  ~mpi_of_process();
  mpi_of_process(const mpi_of_process&) = delete;
  mpi_of_process& operator=(const mpi_of_process&) = delete;

 private:
  std::optional<run_folder> folder_;
};

/// Start MPI, call `body` on all ranks, end MPI. An error that all ranks throw is said by one of them.
/// @return the exit code of the program
int on_all_ranks(const std::function<void(MPI_Comm)>& body);

}  // namespace osteon::app
