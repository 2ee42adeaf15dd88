#pragma once
/// @file
/// Percentiles of values that are spread over ranks.
#include <mpi.h>

#include <array>
#include <vector>

namespace osteon::job {

/// Values below which the given percentages of all ranks' values lie, to 1/65536 of their range; values that are not finite
/// do not count. The same on all ranks. @collective on comm
std::array<double, 2> find_percentiles(MPI_Comm comm, const std::vector<float>& values,
                                       const std::array<double, 2>& percent);

}  // namespace osteon::job
