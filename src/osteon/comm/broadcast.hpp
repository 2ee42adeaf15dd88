#pragma once
/// @file
/// Broadcast of a text. Only rank `root` needs the length of the text.
#include <mpi.h>

#include <string>

namespace osteon::comm {

/// Broadcast the text of rank `root`. @collective on comm
inline std::string broadcast(MPI_Comm comm, std::string text, int root = 0) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, root, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, root, comm);
  return text;
}

}  // namespace osteon::comm
