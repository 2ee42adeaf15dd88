#pragma once
/// @file
/// The schedule of a compositing plan whose ranks are MPI processes.
#include <mpi.h>

#include <osteon/compositing/exchange_schedule.hpp>

namespace osteon::comm {

using compositing::exchange_object;
using compositing::exchange_schedule;
using compositing::pixel_piece;

/// Go through the plan once without pixels: ranks tell each other what their messages hold.
/// @throws usage_error if a rank waits for what nobody sends
/// @collective on comm
exchange_schedule make_schedule(MPI_Comm comm, const plan::rank_plan& mine, std::int64_t elements,
                                const exchange_object& object);

}  // namespace osteon::comm
