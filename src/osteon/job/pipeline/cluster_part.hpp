#pragma once
/// @file
/// Results of a job that runs on several clusters (osteon join). Each cluster writes its part of the results locally.
#include <mpi.h>

#include <optional>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The planes of a cluster, as a separate image.
struct cluster_part {
  comm::communicator comm;     ///< communicator of the cluster's ranks
  grid::block where;           ///< block of this rank in the image of the cluster
  voxel::model_header header;  ///< header with the planes of the cluster at their position in the whole image
  int index = 0;               ///< index of the cluster, from 0
  int count = 1;               ///< number of clusters
};

/// Return the part of this rank's cluster. The result is empty if all ranks are in one cluster, or if the planes of a
/// cluster are not contiguous (bricks, renumbered ranks).
/// @collective on where.comm
std::optional<cluster_part> part_of_cluster(const grid::block& where, const voxel::model_header& header);

/// Return the file name for the part of a cluster, for example `out/results.1.nc` for `out/results.nc` and cluster 1.
std::string name_of_part(const std::string& path, int index);

}  // namespace osteon::job
