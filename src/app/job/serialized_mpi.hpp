#pragma once
/// @file
/// MPI of one process with virtual ranks.
#include <mpi.h>

#include <osteon/base/error.hpp>
#include <string>

namespace osteon::app {

/// MPI during the lifetime of this object. Virtual ranks are threads that call MPI one at a time.
class serialized_mpi {
 public:
  /// @throws machine_error, naming the command, if this MPI does not support MPI_THREAD_SERIALIZED
  explicit serialized_mpi(const char* command) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED)
      throw machine_error("this MPI library does not support calls from several threads; osteon " + std::string(command) +
                          " requires MPI_THREAD_SERIALIZED");
  }
  ~serialized_mpi() { MPI_Finalize(); }
  serialized_mpi(const serialized_mpi&) = delete;
  serialized_mpi& operator=(const serialized_mpi&) = delete;
};

}  // namespace osteon::app
