#pragma once
/// @file
/// The network between the ranks that run now, measured in some milliseconds.
#include <mpi.h>

#include <osteon/job/plans/rank_network.hpp>

namespace osteon::job {

/// Where the ranks of `comm` are, and how fast memory and the links between hosts are to them: the slowest ones, as pictures
/// measure them (render::probe_machine), all ranks sending at once. Equal on all ranks. @collective on comm
rank_network network_of_run(MPI_Comm comm);

}  // namespace osteon::job
