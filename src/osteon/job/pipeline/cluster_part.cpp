#include <osteon/job/pipeline/cluster_part.hpp>

#include <algorithm>
#include <cstdlib>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/files/result_parts.hpp>

namespace osteon::job {

std::optional<cluster_part> part_of_cluster(const grid::block& where, const voxel::model_header& header) {
  const char* cluster_number = std::getenv("OSTEON_WIRE_CLUSTER");  // osteon join sets this variable for every process
  const int mine = cluster_number ? std::atoi(cluster_number) : 0;
  std::vector<int> cluster(static_cast<std::size_t>(comm::size(where.comm)));
  MPI_Allgather(&mine, 1, MPI_INT, cluster.data(), 1, MPI_INT, where.comm);
  if (!where.is_planes() || !std::is_sorted(cluster.begin(), cluster.end()) || cluster.front() == cluster.back()) return {};

  cluster_part part;
  part.index = mine;
  part.count = 1;
  for (std::size_t r = 1; r < cluster.size(); ++r) part.count += cluster[r] != cluster[r - 1] ? 1 : 0;
  part.comm = comm::communicator::split(where.comm, mine);
  comm::collectively(where.comm, [&] {
    const auto own = std::equal_range(cluster.begin(), cluster.end(), mine);
    std::vector<std::int64_t> first;  // first plane of each rank of the cluster, relative to the first plane of the cluster
    for (auto r = own.first; r != own.second; ++r)
      first.push_back(where.boxes->box_of(static_cast<int>(r - cluster.begin())).begin.z);
    first.push_back(where.boxes->box_of(static_cast<int>(own.second - cluster.begin()) - 1).end.z);
    const std::int64_t begin = first.front(), end = first.back();
    for (std::int64_t& z : first) z -= begin;
    part.header = header;
    part.header.shape.z = end - begin;
    part.header.origin_mm.z += static_cast<double>(begin) * header.spacing_mm.z;
    part.header.active_per_plane.assign(header.active_per_plane.begin() + begin, header.active_per_plane.begin() + end);
    part.where = grid::make_block(part.comm.get(), grid::box_tree::of_planes(part.header.shape, first));
  });
  return part;
}

std::string name_of_part(const std::string& path, int index) { return io::results_part_path(path, index); }

}  // namespace osteon::job
