#include <native/world.hpp>

#include <cstdlib>
#include <osteon/base/error.hpp>

namespace osteon::native {

namespace {
bool began = false;
}

MPI_Comm world() {
  int is_ended = 0, is_begun = 0;
  MPI_Finalized(&is_ended);
  if (is_ended)
    throw machine_error("MPI has ended in this process, and cannot begin again; call osteon before MPI_Finalize");
  MPI_Initialized(&is_begun);
  if (!is_begun) {
    // A process without a launcher starts no daemon that it never asks (Open MPI 4); root in a container is a user, too.
    if (!std::getenv("OMPI_COMM_WORLD_SIZE")) setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    began = true;
  }
  return MPI_COMM_SELF;
}

void end_world() {
  int is_ended = 0;
  MPI_Finalized(&is_ended);
  if (began && !is_ended) MPI_Finalize();
  began = false;
}

}  // namespace osteon::native
