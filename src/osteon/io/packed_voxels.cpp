#include <osteon/io/packed_voxels.hpp>

#include <algorithm>
#include <limits>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::io {

std::vector<std::int64_t> send_to_owners(const grid::block& where, const std::vector<std::int64_t>& voxels) {
  const MPI_Comm comm = where.comm;
  const auto ranks = static_cast<std::size_t>(comm::size(comm));
  std::vector<std::int64_t> last;  // end of the voxel indices of each rank
  for (std::size_t r = 0; r < ranks; ++r)
    last.push_back(where.boxes->box_of(static_cast<int>(r)).end.z * where.domain.y * where.domain.x);
  const auto owner_of = [&](std::int64_t voxel) {
    return static_cast<std::size_t>(std::upper_bound(last.begin(), last.end(), voxel / packed_materials) - last.begin());
  };
  std::vector<std::int64_t> outgoing(ranks), incoming(ranks), sorted, received;
  for (const std::int64_t v : voxels) ++outgoing[owner_of(v)];
  MPI_Alltoall(outgoing.data(), 1, MPI_INT64_T, incoming.data(), 1, MPI_INT64_T, comm);
  std::vector<int> send_count(ranks), send_start(ranks), receive_count(ranks), receive_start(ranks);
  comm::collectively(comm, [&] {
    std::int64_t sent = 0, arrived = 0;
    std::vector<std::int64_t> at(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      at[r] = sent;
      send_start[r] = static_cast<int>(sent);
      receive_start[r] = static_cast<int>(arrived);
      sent += outgoing[r];
      arrived += incoming[r];
      if (std::max(sent, arrived) > std::numeric_limits<int>::max())
        throw data_error("the number of voxels of a rank exceeds 2^31 - 1; use more ranks");
      send_count[r] = static_cast<int>(outgoing[r]);
      receive_count[r] = static_cast<int>(incoming[r]);
    }
    sorted.resize(voxels.size());
    for (const std::int64_t v : voxels) sorted[static_cast<std::size_t>(at[owner_of(v)]++)] = v;
    received.resize(static_cast<std::size_t>(arrived));
  });
  MPI_Alltoallv(sorted.data(), send_count.data(), send_start.data(), MPI_INT64_T, received.data(), receive_count.data(),
                receive_start.data(), MPI_INT64_T, comm);
  return received;
}

unpacked_planes unpack_voxels(const box3& planes, std::span<const std::int64_t> voxels) {
  unpacked_planes all;
  const index3 shape = planes.shape();
  const std::int64_t first = planes.begin.z * shape.y * shape.x;
  all.material.resize(static_cast<std::size_t>(planes.volume()));
  for (const std::int64_t v : voxels) {
    const std::int64_t place = v / packed_materials;
    material_number& m = all.material[static_cast<std::size_t>(place - first)];
    if (m != 0) all.twice = std::min(all.twice.value_or(place), place);
    m = static_cast<material_number>(v % packed_materials);
  }
  return all;
}

}  // namespace osteon::io
