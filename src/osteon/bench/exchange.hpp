#pragma once
/// @file
/// All-to-all exchanges beside MPI's own: sizes and skews.
#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace osteon::bench {

struct exchange_case {
  std::int64_t bytes = 65536;  ///< of the mean parcel
  double skew = 1;             ///< the largest parcel of each round over the mean one, 1 to the number of ranks
};

struct exchange_time {
  std::string way;              ///< a schedule of comm::all_to_all, or MPI_Alltoallv
  double best = 0, median = 0;  ///< s of one exchange, on the slowest rank
  double bytes_per_second = 0;  ///< between different ranks, all together, by the median
};

/// Run MPI_Alltoallv and the schedules in turn.
/// @param seconds of measuring, all ways together
/// @throws usage_error for an unknown schedule or an impossible skew; data_error if what came is not what was sent
/// @collective on comm
std::vector<exchange_time> measure_exchange(MPI_Comm comm, const exchange_case& what,
                                            const std::vector<std::string>& schedules, double seconds);

}  // namespace osteon::bench
