#pragma once
/// @file
/// Exchange of pixels between ranks.
#include <algorithm>
#include <numeric>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/plan/plan.hpp>
#include <vector>

namespace osteon::render {

/// Common part of two spans. The common part may be empty.
inline plan::span overlap(const plan::span& a, const plan::span& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// Exchange messages between all ranks. @param to number of elements sent to each rank @param from number of elements
/// received from each rank @collective on comm
template <class T>
std::vector<T> exchange(MPI_Comm comm, const std::vector<T>& sent, const std::vector<int>& to,
                        const std::vector<int>& from) {
  std::vector<T> received(static_cast<std::size_t>(std::accumulate(from.begin(), from.end(), 0)));
  const comm::element_type type(sizeof(T));
  MPI_Alltoallv(sent.data(), to.data(), comm::offsets_of(to).data(), type.get(), received.data(), from.data(),
                comm::offsets_of(from).data(), type.get(), comm);
  return received;
}

}  // namespace osteon::render
