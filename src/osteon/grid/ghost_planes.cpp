#include <osteon/grid/ghost_planes.hpp>

#include <algorithm>
#include <cstring>
#include <osteon/comm/communicator.hpp>

namespace osteon::grid {

template <class T>
ghosted_field<T> with_ghost_planes(const block& where, const std::vector<T>& owned, int depth) {
  const std::int64_t plane = where.domain.y * where.domain.x;
  const std::int64_t begin = std::max<std::int64_t>(0, where.owned.begin.z - depth);
  const std::int64_t end = std::min(where.domain.z, where.owned.end.z + depth);
  ghosted_field<T> field{begin, end, std::vector<T>(static_cast<std::size_t>((end - begin) * plane))};
  const std::int64_t low = where.owned.begin.z - begin, high = end - where.owned.end.z;
  std::copy(owned.begin(), owned.end(), field.values.begin() + low * plane);

  // One plane a hop: a neighbour with fewer than `depth` planes passes on what it has just received, so no rank needs
  // to know any but its two neighbours.
  MPI_Datatype type;
  MPI_Type_contiguous(static_cast<int>(plane * static_cast<std::int64_t>(sizeof(T))), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  const std::int64_t first_owned = low, last_owned = low + where.owned.shape().z - 1;
  T* data = field.values.data();
  for (int hop = 0; hop < depth; ++hop) {
    const bool receives_low = hop < low, receives_high = hop < high;
    MPI_Request requests[4];
    int count = 0;
    constexpr int upward = 11, downward = 12;
    if (receives_low)
      MPI_Irecv(data + (first_owned - 1 - hop) * plane, 1, type, where.below, upward, where.comm, &requests[count++]);
    if (receives_high)
      MPI_Irecv(data + (last_owned + 1 + hop) * plane, 1, type, where.above, downward, where.comm, &requests[count++]);
    // The plane that is `hop` below my last one, if I have it by now and the rank above wants it: it always does,
    // because its own low side reaches as far down as the domain allows.
    if (where.above != MPI_PROC_NULL && begin + last_owned - hop >= 0)
      MPI_Isend(data + (last_owned - hop) * plane, 1, type, where.above, upward, where.comm, &requests[count++]);
    if (where.below != MPI_PROC_NULL && begin + first_owned + hop < where.domain.z)
      MPI_Isend(data + (first_owned + hop) * plane, 1, type, where.below, downward, where.comm, &requests[count++]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Type_free(&type);
  return field;
}

template ghosted_field<float> with_ghost_planes(const block&, const std::vector<float>&, int);
template ghosted_field<std::uint8_t> with_ghost_planes(const block&, const std::vector<std::uint8_t>&, int);

}  // namespace osteon::grid
