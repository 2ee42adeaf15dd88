#pragma once
/// @file
/// Communication graph of the ranks of a job, from the job's plans.
#include <mpi.h>

#include <osteon/base/log_sink.hpp>
#include <osteon/job/plans/job_plans.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>
#include <string>

namespace osteon::job {

/// Graph of the ranks. A weight is the mean number of bytes that two ranks exchange per iteration, on all levels and in all
/// visits of a level. Reductions are excluded, because their cost is independent of the order.
placement::graph graph_of_iteration(const job_plans& plans);

struct ranks_to_place {
  placement::graph graph;
  std::string by;  ///< definition of the weights, with the reason if the weights are not the bytes of an iteration
};

/// Graph with which `osteon place --job` places the ranks of a job: the graph of an iteration, or the graph of nodes shared
/// by boxes if the plans of the job require a run.
/// @throws as import_model; usage_error if there are more ranks than planes or voxels @collective local, with MPI as for
/// plans_of_job
ranks_to_place ranks_to_place_of(const spec& job, int ranks, log_sink& log);

/// Graph with which a run places its ranks before voxels are read. For images of at most 2^23 voxels, rank 0 generates the
/// plans of an iteration within seconds. Otherwise rank_graph defines the weights.
/// @collective on comm
ranks_to_place ranks_to_place_of_run(MPI_Comm comm, const spec& job);

}  // namespace osteon::job
