#pragma once
/// @file
/// The network between the ranks of this run, measured in some milliseconds.
#include <mpi.h>

#include <osteon/job/plans/rank_network.hpp>

namespace osteon::job {

/// Return the locations of the ranks of `comm`, and the speeds of memory and of the links between hosts. The speeds are the
/// slowest values, measured as for pictures (render::probe_machine) while all ranks send simultaneously. The result is equal
/// on all ranks. @collective on comm
rank_network network_of_run(MPI_Comm comm);

}  // namespace osteon::job
