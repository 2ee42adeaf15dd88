#pragma once
/// @file
/// Results of a job that runs on several clusters (osteon join): each cluster writes its part locally.
#include <mpi.h>

#include <optional>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The planes of a cluster as a separate image.
struct cluster_part {
  comm::communicator comm;     ///< communicator of the cluster's ranks
  grid::block where;           ///< block of this rank within the cluster
  voxel::model_header header;  ///< header with the planes of the cluster at their position
  int index = 0;               ///< index of the cluster, from 0
  int count = 1;               ///< number of clusters
};

/// Return the part of this rank's cluster; none if all ranks are in one cluster, or if the planes of the clusters are not
/// contiguous (bricks, renumbered ranks).
/// @collective on where.comm
std::optional<cluster_part> part_of_cluster(const grid::block& where, const voxel::model_header& header);

/// Return the file name of the part of a cluster: `out/results.1.nc` for `out/results.nc` and cluster 1.
std::string name_of_part(const std::string& path, int index);

}  // namespace osteon::job
