#pragma once
/// @file
/// Results of a job that runs over several clusters (osteon join): each cluster writes its part, where it is.
#include <mpi.h>

#include <optional>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The planes of a cluster as an image of their own.
struct cluster_part {
  comm::communicator comm;     ///< of the cluster's ranks
  grid::block where;           ///< of this rank among them
  voxel::model_header header;  ///< with the cluster's planes, at their place
  int index = 0;               ///< of the cluster, from 0
  int count = 1;               ///< of the clusters
};

/// The part of this rank's cluster: nothing if all ranks are in one cluster, or if the clusters do not own planes that
/// follow each other (bricks, ranks placed anew).
/// @collective on where.comm
std::optional<cluster_part> part_of_cluster(const grid::block& where, const voxel::model_header& header);

/// `out/results.nc` of cluster 1: `out/results.1.nc`.
std::string name_of_part(const std::string& path, int index);

}  // namespace osteon::job
