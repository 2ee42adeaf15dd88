#pragma once
/// @file
/// Measured time of an exchange, to compare with the prediction.
#include <mpi.h>

#include <osteon/placement/graph.hpp>

namespace osteon::placement {

/// Seconds of an exchange in which rank r sends to the neighbours of vertex r what their edges weigh, and receives as
/// much: of each repeat the slowest rank counts, of these the median.
/// @param g the same on all ranks, a vertex for each
/// @throws usage_error on all ranks if the graph has not a vertex for each rank, or a message is larger than 1 GiB
/// @collective on comm
double exchange_seconds(MPI_Comm comm, const graph& g, int repeats);

}  // namespace osteon::placement
