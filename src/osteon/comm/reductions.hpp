#pragma once
/// @file
/// Reductions, gather to rank 0 and scatter from rank 0, for MPI and virtual ranks (comm/virtual_ranks.hpp).
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/datatype.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <span>
#include <vector>

namespace osteon::comm {

namespace reductions_detail {

template <class T>
T combined(T a, T b, MPI_Op op) {
  if (op == MPI_SUM) return static_cast<T>(a + b);
  if (op == MPI_MAX) return std::max(a, b);
  if (op == MPI_MIN) return std::min(a, b);
  if constexpr (std::is_integral_v<T>)
    if (op == MPI_BOR) return static_cast<T>(a | b);
  throw machine_error("virtual ranks support sums, extrema and bitwise operations only");
}

}  // namespace reductions_detail

/// Replace values by a reduction over all ranks: sum, maximum, minimum or bitwise or (MPI_SUM, MPI_MAX, MPI_MIN, MPI_BOR).
/// The message ledger does not count this reduction.
/// @collective on comm
template <class T>
void all_reduce(MPI_Comm comm, T* values, std::size_t count, MPI_Op op) {
  if (!is_virtual(comm)) {
    constexpr std::size_t most = std::size_t{1} << 30;  // MPI counts are of type int
    for (std::size_t begin = 0; begin == 0 || begin < count; begin += most)
      MPI_Allreduce(MPI_IN_PLACE, values + begin, static_cast<int>(std::min(most, count - begin)), datatype<T>(), op, comm);
    return;
  }
  const std::span<std::byte> own = std::as_writable_bytes(std::span(values, count));
  const auto all = virtual_gather(comm, own);
  std::vector<T> other(count);
  for (std::size_t r = 1; r < all.size(); ++r) {
    std::memcpy(other.data(), all[r].data(), all[r].size());
    for (std::size_t i = 0; i < count; ++i) values[i] = reductions_detail::combined(values[i], other[i], op);
  }
  const auto result = virtual_broadcast(comm, own);
  std::copy(result.begin(), result.end(), own.begin());
}

/// Reduce like all_reduce, and count the reduction in the message ledger. @collective on comm
template <class T>
void counted_all_reduce(MPI_Comm comm, T* values, std::size_t count, MPI_Op op) {
  const auto counted = counted_call::all_reduce(comm, static_cast<std::int64_t>(count * sizeof(T)));
  all_reduce(comm, values, count, op);
}

/// Sum of one value per rank, counted in the message ledger. If the ranks have no values, the result is 1. @collective on
/// comm
inline double counted_sum(MPI_Comm comm, double value) {
  const auto counted = counted_call::all_reduce(comm, sizeof value);
  if (!has_values(comm)) return 1;
  all_reduce(comm, &value, 1, MPI_SUM);
  return value;
}

/// Exclusive prefix sum of one value per rank. @collective on comm
template <class T>
T exclusive_sum_over_ranks(MPI_Comm comm, T value) {
  T sum = 0;
  if (!is_virtual(comm)) {
    MPI_Exscan(&value, &sum, 1, datatype<T>(), MPI_SUM, comm);
    return rank(comm) == 0 ? 0 : sum;  // MPI_Exscan leaves the result of rank 0 undefined
  }
  std::vector<T> all(static_cast<std::size_t>(size(comm)));
  all[static_cast<std::size_t>(rank(comm))] = value;
  all_reduce(comm, all.data(), all.size(), MPI_SUM);
  for (int r = 0; r < rank(comm); ++r) sum = static_cast<T>(sum + all[static_cast<std::size_t>(r)]);
  return sum;
}

/// Broadcast the value of rank 0. @collective on comm
template <class T>
T broadcast_from_first(MPI_Comm comm, T value) {
  if (!is_virtual(comm)) {
    MPI_Bcast(&value, 1, datatype<T>(), 0, comm);
    return value;
  }
  const auto bytes = virtual_broadcast(comm, std::as_bytes(std::span(&value, 1)));
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// Gather the values of all ranks on rank 0. @param counts, begins for each rank; used on rank 0 only @collective on comm
template <class T>
void gather_values(MPI_Comm comm, const T* own, int count, T* all, const std::vector<int>& counts,
                   const std::vector<int>& begins) {
  if (!is_virtual(comm)) {
    MPI_Gatherv(own, count, datatype<T>(), all, counts.data(), begins.data(), datatype<T>(), 0, comm);
    return;
  }
  const auto lists = virtual_gather(comm, std::as_bytes(std::span(own, static_cast<std::size_t>(count))));
  for (std::size_t r = 0; r < lists.size(); ++r)
    if (!lists[r].empty()) std::memcpy(all + begins[r], lists[r].data(), lists[r].size());
}

/// Scatter the values of rank 0. @collective on comm
template <class T>
void scatter_values(MPI_Comm comm, const T* all, const std::vector<int>& counts, const std::vector<int>& begins, T* own,
                    int count) {
  if (!is_virtual(comm)) {
    MPI_Scatterv(all, counts.data(), begins.data(), datatype<T>(), own, count, datatype<T>(), 0, comm);
    return;
  }
  std::vector<std::vector<std::byte>> lists(counts.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const auto bytes = std::as_bytes(std::span(all + begins[r], static_cast<std::size_t>(counts[r])));
    lists[r].assign(bytes.begin(), bytes.end());
  }
  const auto mine = virtual_scatter(comm, lists);
  if (!mine.empty()) std::memcpy(own, mine.data(), mine.size());
}

}  // namespace osteon::comm
