#pragma once
/// @file
/// MPI of one process whose virtual ranks take turns at it.
#include <mpi.h>

#include <osteon/base/error.hpp>
#include <string>

namespace osteon::app {

/// MPI while this lives. Virtual ranks are threads that take turns at it.
class serialized_mpi {
 public:
  /// @throws machine_error, naming the command, if this MPI does not let them
  explicit serialized_mpi(const char* command) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED)
      throw machine_error("this MPI lets only one thread of a process call it; osteon " + std::string(command) +
                          " needs one that lets them take turns (MPI_THREAD_SERIALIZED)");
  }
  ~serialized_mpi() { MPI_Finalize(); }
  serialized_mpi(const serialized_mpi&) = delete;
  serialized_mpi& operator=(const serialized_mpi&) = delete;
};

}  // namespace osteon::app
