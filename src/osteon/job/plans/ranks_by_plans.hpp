#pragma once
/// @file
/// Communication graph of the ranks of a job. The job's plans determine the graph.
#include <mpi.h>

#include <osteon/base/log_sink.hpp>
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <string>

namespace osteon::job {

/// Graph of the ranks. The weight of two ranks is the mean number of bytes that these ranks exchange per iteration. The
/// number includes all levels and all visits of a level. Reductions are excluded, because the order of the ranks does not
/// change their cost.
placement::graph graph_of_iteration(const job_plans& plans);

struct ranks_to_place {
  placement::graph graph;
  std::string by;  ///< definition of the weights; includes the reason if the weights are not the bytes of an iteration
};

/// Graph with which `osteon place --job` places the ranks of a job. The graph is that of an iteration. If the plans of the
/// job require a run, the graph is that of the nodes on several boxes.
/// @throws errors of import_model; usage_error if there are more ranks than planes or voxels @collective local, with MPI as
/// in plans_of_job
ranks_to_place ranks_to_place_of(const spec& job, int ranks, log_sink& log);

/// Graph with which a run places its ranks before the ranks read voxels. For images with at most 2^23 voxels, rank 0
/// computes the plans of an iteration in a few seconds. For larger images, rank_graph defines the weights.
/// @collective on comm
ranks_to_place ranks_to_place_of_run(MPI_Comm comm, const spec& job);

}  // namespace osteon::job
