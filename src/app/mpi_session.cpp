#include <app/mpi_session.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

int on_all_ranks(const std::function<void(MPI_Comm)>& body) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  int code = 0;
  const int rank = comm::rank(MPI_COMM_WORLD);
  try {
    body(MPI_COMM_WORLD);
  } catch (const error& e) {
    // All ranks are here with the same text (comm::together), so all of them leave, and one speaks.
    if (rank == 0) fmt::print(stderr, "osteon: {}\n", e.what());
    code = exit_code(e.kind());
  } catch (const std::exception& e) {
    // This rank alone failed: the others may wait for it in a collective, so they have to be ended.
    fmt::print(stderr, "osteon: [rank {}] {}\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, exit_code(error_kind::machine));
  }
  MPI_Finalize();
  return code;
}

}  // namespace osteon::app
