#pragma once
/// @file
/// The benchmark of [Ito]: heat conduction by Jacobi sweeps, and the cost of the steps.
#include <mpi.h>

#include <optional>
#include <studies/subdomain_mapping/block/heat_block.hpp>

namespace osteon::studies {

struct poisson_options {
  double seconds = 3;           ///< time for the measurement of steps and their parts
  std::optional<bool> overlap;  ///< true: exchange while computing; unset: the faster variant
};

/// Limit of the memory bandwidth, and rate of a sweep. Ranks compute at the same time, as in a step.
struct sweep_cost {
  jacobi_walk walk;            ///< the faster traversal
  double triad_bandwidth = 0;  ///< bytes per second of all ranks together
  double seconds = 0;          ///< time of a sweep of the slowest rank
  double bytes = 0;  ///< bytes that a sweep of all ranks must transfer: cells read, cells written, and the read of written
                     ///< cells if stores do not bypass the caches
  int sweeps_at_once = 0;      ///< fastest number of sweeps with temporal blocking
  double seconds_at_once = 0;  ///< time of one of these sweeps
  double seconds_of_one = 0;   ///< time of a sweep of a mean box by one rank alone
  double peak = 0;             ///< floating-point operations per second of all ranks together, measured in registers
  double operations = 0;       ///< operations of a sweep of all ranks: 8 per cell

  double bandwidth() const { return bytes / seconds; }
  double share_of_triad() const { return bandwidth() / triad_bandwidth; }

  // The following functions describe a sweep or step of all ranks with the given duration.
  /// Efficiency relative to one rank alone on the machine (weak scaling, because the boxes have equal sizes).
  double efficiency(double of_seconds) const { return seconds_of_one / of_seconds; }
  double share_of_bandwidth(double of_seconds) const { return bytes / of_seconds / triad_bandwidth; }
  double share_of_peak(double of_seconds) const { return operations / of_seconds / peak; }
};

/// Cost of a step for one assignment of boxes to ranks. Times are medians over batches of steps.
struct step_cost {
  double exchange_seconds = 0;       ///< time of the exchange of all faces
  double seconds = 0;                ///< time of a step
  double communication_seconds = 0;  ///< time of packing, waiting and unpacking in a step; maximum over ranks
  bool overlap = false;
  std::int64_t bytes = 0;           ///< bytes sent by all ranks in an exchange
  std::int64_t bytes_off_host = 0;  ///< bytes sent to other hosts
  double error = 0;          ///< largest difference from the exact solution; the initial amplitude of the solution is 1
  std::uint64_t digest = 0;  ///< digest of the last temperatures, equal for all decompositions and orders
};

/// Measure sweeps and the triad alternately. The result is the fastest sweep and the fastest triad.
/// @collective on comm
template <class T>
sweep_cost measure_sweep(MPI_Comm comm, const cartesian& where, const poisson_options& options);

/// Measure exchanges and steps.
/// @param comm communicator in which rank r has box r
/// @param host host of each rank of comm; the numbers are arbitrary
/// @throws data_error on all ranks if the temperatures differ from the exact solution
/// @collective on comm
template <class T>
step_cost measure_steps(MPI_Comm comm, const cartesian& where, const jacobi_walk& walk, const std::vector<int>& host,
                        const poisson_options& options);

extern template sweep_cost measure_sweep<float>(MPI_Comm, const cartesian&, const poisson_options&);
extern template sweep_cost measure_sweep<double>(MPI_Comm, const cartesian&, const poisson_options&);
extern template step_cost measure_steps<float>(MPI_Comm, const cartesian&, const jacobi_walk&, const std::vector<int>&,
                                               const poisson_options&);
extern template step_cost measure_steps<double>(MPI_Comm, const cartesian&, const jacobi_walk&, const std::vector<int>&,
                                                const poisson_options&);

/// Time in s of some steps on a small grid, for the trial of a binding.
/// @return time, equal on all ranks @collective on comm
template <class T>
double seconds_of_steps(MPI_Comm comm);
extern template double seconds_of_steps<float>(MPI_Comm);
extern template double seconds_of_steps<double>(MPI_Comm);

/// A communicator in which rank r is rank `order[r]` of comm. @collective on comm
comm::communicator reordered(MPI_Comm comm, const std::vector<int>& order);

}  // namespace osteon::studies
