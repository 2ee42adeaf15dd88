#pragma once
/// @file
/// Lists whose lengths differ by rank, on all ranks or on the first.
#include <mpi.h>

#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/offsets.hpp>
#include <vector>

namespace osteon::comm {

/// Of each rank its values, in the order of the ranks.
template <class T>
struct gathered_lists {
  std::vector<T> values;
  std::vector<int> counts;  ///< by rank
};

/// What all ranks have, one after the other.
/// @tparam T may be copied as bytes @pre all of them are below 2^31 @cost memory: all values on every rank
/// @collective on comm
template <class T>
gathered_lists<T> gather_to_all(MPI_Comm comm, const std::vector<T>& own) {
  const int count = static_cast<int>(own.size());
  gathered_lists<T> all;
  all.counts.resize(static_cast<std::size_t>(size(comm)));
  MPI_Allgather(&count, 1, MPI_INT, all.counts.data(), 1, MPI_INT, comm);
  const std::vector<int> begins = offsets_of(all.counts);
  all.values.resize(static_cast<std::size_t>(begins.back() + all.counts.back()));
  const element_type type(sizeof(T));
  MPI_Allgatherv(own.data(), count, type.get(), all.values.data(), all.counts.data(), begins.data(), type.get(), comm);
  return all;
}

/// The same, on rank 0 only; elsewhere empty. @collective on comm
template <class T>
gathered_lists<T> gather_on_first(MPI_Comm comm, const std::vector<T>& own) {
  const int count = static_cast<int>(own.size());
  const bool is_first = rank(comm) == 0;
  gathered_lists<T> all;
  if (is_first) all.counts.resize(static_cast<std::size_t>(size(comm)));
  MPI_Gather(&count, 1, MPI_INT, all.counts.data(), 1, MPI_INT, 0, comm);
  const std::vector<int> begins = offsets_of(all.counts);
  if (is_first) all.values.resize(static_cast<std::size_t>(begins.back() + all.counts.back()));
  const element_type type(sizeof(T));
  MPI_Gatherv(own.data(), count, type.get(), all.values.data(), all.counts.data(), begins.data(), type.get(), 0, comm);
  return all;
}

}  // namespace osteon::comm
