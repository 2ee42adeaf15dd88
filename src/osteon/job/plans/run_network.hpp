#pragma once
/// @file
/// The network between the ranks of this run. The measurement takes some milliseconds.
#include <mpi.h>

#include <osteon/job/plans/rank_network.hpp>

namespace osteon::job {

/// Return the locations of the ranks of `comm`, and the speeds of memory and of the links between hosts. The speeds are the
/// slowest values while all ranks send simultaneously. The measurement is that for pictures (render::probe_machine). The
/// result is equal on all ranks. @collective on comm
rank_network network_of_run(MPI_Comm comm);

}  // namespace osteon::job
