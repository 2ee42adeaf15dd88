#include <osteon/comm/collectively.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace osteon::comm {

namespace {

// Terminate the program on a failed rank. The failed rank has left a collective that still blocks other ranks. For example,
// a collective write of Open MPI returns on the rank with the failed disk, but blocks all other ranks. The function calls
// std::terminate and throws no exception. Stack unwinding would call collectives (to close files or free communicators) that
// the other ranks do not reach.
[[noreturn]] void terminate_with_error(const outcome& local) noexcept { throw_error(local.kind, local.text); }

// Wait for a request. A failed rank waits only for some seconds. After 200 us, the function sleeps between polls. After 200
// us, the other ranks are probably accessing files, possibly on a core that a spinning MPI_Wait would occupy.
void wait_for_other_ranks(MPI_Request& request, const outcome& local, int rank) {
  using namespace std::chrono;
  // The time limit differs between ranks. Only one of several failed ranks therefore reports its error.
  const auto patience = seconds(4) + milliseconds(500) * std::min(rank, 4);
  const auto start = steady_clock::now();
  for (int arrived = 0;;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived) return;
    const auto waited = steady_clock::now() - start;
    if (local.failed && waited > patience) terminate_with_error(local);
    if (waited > microseconds(200)) std::this_thread::sleep_for(microseconds(20));
  }
}

}  // namespace

void throw_first_error(MPI_Comm comm, const outcome& local) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int first = local.failed ? rank : size;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm, &request);
  wait_for_other_ranks(request, local, rank);
  if (first == size) return;
  int header[2] = {static_cast<int>(local.kind), static_cast<int>(local.text.size())};
  MPI_Bcast(header, 2, MPI_INT, first, comm);
  std::string text = local.text;
  text.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(text.data(), header[1], MPI_CHAR, first, comm);
  throw_error(static_cast<error_kind>(header[0]), text);
}

}  // namespace osteon::comm
