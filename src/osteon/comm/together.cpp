#include <osteon/comm/together.hpp>

namespace osteon::comm {

void agree(MPI_Comm comm, const outcome& local) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int first = local.failed ? rank : size;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size) return;
  int header[2] = {static_cast<int>(local.kind), static_cast<int>(local.text.size())};
  MPI_Bcast(header, 2, MPI_INT, first, comm);
  std::string text = local.text;
  text.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(text.data(), header[1], MPI_CHAR, first, comm);
  throw_error(static_cast<error_kind>(header[0]), text);
}

}  // namespace osteon::comm
