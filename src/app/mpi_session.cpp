#include <app/mpi_session.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

namespace {

// A rank that cannot reach the others any more (comm::agree) ends them. Nothing is unwound.
[[noreturn]] void end_all_ranks() {
  int code = exit_code(error_kind::machine);
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const error& e) {
    code = exit_code(e.kind());
    fmt::print(stderr, "osteon: [rank {}] {}\n", comm::rank(MPI_COMM_WORLD), e.what());
  } catch (...) {
    fmt::print(stderr, "osteon: [rank {}] ended by an error that nobody expected\n", comm::rank(MPI_COMM_WORLD));
  }
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();
}

}  // namespace

int on_all_ranks(const std::function<void(MPI_Comm)>& body) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  std::set_terminate(end_all_ranks);
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
