#include <osteon/comm/together.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace osteon::comm {

namespace {

// The others may wait for this rank where it does not come any more: a collective write of Open MPI returns on the rank
// whose disk failed and keeps the rest. Then this rank ends the program. It does so by std::terminate, because unwinding the
// stack would close files and free communicators, together with ranks that are elsewhere.
[[noreturn]] void leave_alone(const outcome& local) noexcept { throw_error(local.kind, local.text); }

// Wait for a request; a rank that failed does not wait for ever. Who waits longer than others are apart by chance sleeps in
// between: they are busy with a disk or a file's metadata, perhaps on the core that a turning MPI_Wait would keep from them.
void wait_for_others(MPI_Request& request, const outcome& local, int rank) {
  using namespace std::chrono;
  const auto patience = seconds(4) + milliseconds(500) * std::min(rank, 4);  // so that one of several speaks
  const auto start = steady_clock::now();
  for (int arrived = 0;;) {
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    if (arrived) return;
    const auto waited = steady_clock::now() - start;
    if (local.failed && waited > patience) leave_alone(local);
    if (waited > microseconds(200)) std::this_thread::sleep_for(microseconds(20));
  }
}

}  // namespace

void agree(MPI_Comm comm, const outcome& local) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int first = local.failed ? rank : size;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm, &request);
  wait_for_others(request, local, rank);
  if (first == size) return;
  int header[2] = {static_cast<int>(local.kind), static_cast<int>(local.text.size())};
  MPI_Bcast(header, 2, MPI_INT, first, comm);
  std::string text = local.text;
  text.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(text.data(), header[1], MPI_CHAR, first, comm);
  throw_error(static_cast<error_kind>(header[0]), text);
}

}  // namespace osteon::comm
