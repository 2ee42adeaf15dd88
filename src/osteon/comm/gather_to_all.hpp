#pragma once
/// @file
/// Gather of lists on all ranks or on rank 0, for MPI and virtual ranks (comm/virtual_ranks.hpp). The lengths of the lists
/// may differ between ranks.
#include <mpi.h>

#include <cstring>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <vector>

namespace osteon::comm {

/// Values of all ranks in rank order.
template <class T>
struct gathered_lists {
  std::vector<T> values;
  std::vector<int> counts;  ///< for each rank
};

namespace gather_detail {

template <class T>
gathered_lists<T> on_first_virtual_rank(MPI_Comm comm, const std::vector<T>& own) {
  gathered_lists<T> all;
  for (const auto& bytes : virtual_gather(comm, std::as_bytes(std::span(own)))) {
    const std::size_t count = bytes.size() / sizeof(T), begin = all.values.size();
    all.counts.push_back(static_cast<int>(count));
    all.values.resize(begin + count);
    if (count > 0) std::memcpy(static_cast<void*>(all.values.data() + begin), bytes.data(), bytes.size());
  }
  return all;
}

template <class T>
void to_all_virtual_ranks(MPI_Comm comm, std::vector<T>& values) {
  const auto bytes = virtual_broadcast(comm, std::as_bytes(std::span(values)));
  values.resize(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
}

}  // namespace gather_detail

/// Concatenate the values of all ranks, on every rank.
/// @tparam T trivially copyable @pre fewer than 2^31 values in total @cost memory for all values on every rank
/// @collective on comm
template <class T>
gathered_lists<T> gather_to_all(MPI_Comm comm, const std::vector<T>& own) {
  if (is_virtual(comm)) {
    gathered_lists<T> found = gather_detail::on_first_virtual_rank(comm, own);
    gather_detail::to_all_virtual_ranks(comm, found.values);
    gather_detail::to_all_virtual_ranks(comm, found.counts);
    return found;
  }
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

/// Concatenate the values of all ranks on rank 0. The result is empty on other ranks. @collective on comm
template <class T>
gathered_lists<T> gather_on_first(MPI_Comm comm, const std::vector<T>& own) {
  if (is_virtual(comm)) return gather_detail::on_first_virtual_rank(comm, own);
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
