#pragma once
/// @file
/// The network between the ranks of this run, measured in some milliseconds.
#include <mpi.h>

#include <osteon/job/plans/rank_network.hpp>

namespace osteon::job {

/// Locations of the ranks of `comm`, and speed of memory and of the links between hosts: the slowest values, as measured for
/// pictures (render::probe_machine), with all ranks sending simultaneously. Equal on all ranks. @collective on comm
rank_network network_of_run(MPI_Comm comm);

}  // namespace osteon::job
