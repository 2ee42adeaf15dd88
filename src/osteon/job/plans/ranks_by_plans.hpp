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

/// The ranks as a graph: a weight is the mean of the bytes that two ranks exchange in an iteration, on all levels with their
/// numbers of visits. Reductions, whose cost is independent of the order, are excluded.
placement::graph graph_of_iteration(const job_plans& plans);

struct ranks_to_place {
  placement::graph graph;
  std::string by;  ///< definition of the weights; and the reason if they are not those of an iteration
};

/// The graph by which `osteon place --job` places the ranks of a job: that of an iteration. If the plans of the job cannot
/// be made without running it, the graph of nodes shared by boxes.
/// @throws as import_model; usage_error if there are more ranks than planes or voxels @collective local, with MPI as for
/// plans_of_job
ranks_to_place ranks_to_place_of(const spec& job, int ranks, log_sink& log);

/// The graph by which a run places its ranks before voxels are read. Rank 0 makes the plans of an iteration if that takes
/// seconds: for images of at most 2^23 voxels. Otherwise the weights are those of rank_graph.
/// @collective on comm
ranks_to_place ranks_to_place_of_run(MPI_Comm comm, const spec& job);

}  // namespace osteon::job
