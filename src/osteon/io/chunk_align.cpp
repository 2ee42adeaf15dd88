#include <osteon/io/chunk_align.hpp>

#include <algorithm>
#include <osteon/comm/communicator.hpp>

namespace osteon::io {

aligned_planes align_to_chunks(MPI_Comm comm, std::span<const std::int64_t> first, std::int64_t chunk_planes,
                               std::int64_t bytes_per_plane, std::span<const std::byte> values) {
  const auto rank = static_cast<std::size_t>(comm::rank(comm));
  const std::int64_t begin = first[rank], end = first[rank + 1], total = first.back(), k = chunk_planes;
  const std::int64_t own_begin = (begin + k - 1) / k * k;     // first chunk that starts here
  const std::int64_t last = end > 0 ? (end - 1) / k * k : 0;  // chunk of the last plane
  const bool completes = end > own_begin && last + k > end && end < total;
  const auto bytes = [&](std::int64_t planes) { return static_cast<std::size_t>(planes * bytes_per_plane); };

  aligned_planes result;
  std::vector<MPI_Request> requests;
  if (completes) {
    result.tail_begin = last;
    result.tail_end = std::min(last + k, total);
    result.tail.resize(bytes(result.tail_end - last));
    for (std::size_t r = rank + 1; r + 1 < first.size() && first[r] < result.tail_end; ++r) {
      const std::int64_t stop = std::min(first[r + 1], result.tail_end);
      if (stop > first[r])  // a chunk of several planes has at most 2 MiB: the count fits an int
        MPI_Irecv(result.tail.data() + bytes(first[r] - last), static_cast<int>(bytes(stop - first[r])), MPI_BYTE,
                  static_cast<int>(r), 0, comm, &requests.emplace_back());
    }
  }
  if (begin < own_begin && begin < end) {
    const std::int64_t chunk = begin / k * k;
    const auto owner = std::upper_bound(first.begin(), first.end(), chunk) - first.begin() - 1;
    MPI_Isend(values.data(), static_cast<int>(bytes(std::min(end, own_begin) - begin)), MPI_BYTE, static_cast<int>(owner), 0,
              comm, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  if (end > own_begin) {
    result.body_begin = own_begin;
    result.body_end = completes ? last : end;
    result.body = values.subspan(bytes(own_begin - begin), bytes(result.body_end - own_begin));
    if (completes) std::copy_n(values.data() + bytes(last - begin), bytes(end - last), result.tail.data());
  }
  return result;
}

}  // namespace osteon::io
