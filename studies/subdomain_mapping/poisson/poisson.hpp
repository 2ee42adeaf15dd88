#pragma once
/// @file
/// The benchmark of [Ito]. The program solves heat conduction by Jacobi sweeps and measures the cost of the steps.
#include <mpi.h>

#include <optional>
#include <studies/subdomain_mapping/block/heat_block.hpp>

namespace osteon::studies {

struct poisson_options {
  double seconds = 3;           ///< duration of the measurements of steps and of their parts
  std::optional<bool> overlap;  ///< true: exchange while computing; unset: select the faster variant
};

/// Limit of the memory bandwidth, and the rate of a sweep. All ranks compute at the same time, as in a step.
struct sweep_cost {
  jacobi_walk walk;            ///< the faster traversal
  double triad_bandwidth = 0;  ///< bytes per second of all ranks together
  double seconds = 0;          ///< time of a sweep of the slowest rank
  /// number of bytes that a sweep of all ranks must transfer; the bytes are cells read and cells written, and also the read
  /// of written cells if stores do not bypass the caches
  double bytes = 0;
  int sweeps_at_once = 0;      ///< fastest number of sweeps in one pass with temporal blocking
  double seconds_at_once = 0;  ///< time of one sweep in such a pass
  double seconds_of_one = 0;   ///< time of a sweep of a mean box by one rank alone
  double peak = 0;             ///< floating-point operations per second of all ranks together, measured in registers
  double operations = 0;       ///< number of operations of a sweep of all ranks, with 8 operations per cell

  double bandwidth() const { return bytes / seconds; }
  double share_of_triad() const { return bandwidth() / triad_bandwidth; }

  // The following functions describe a sweep or a step of all ranks. The argument is the duration of the sweep or step.
  /// Efficiency relative to one rank alone on the machine. The scaling is weak scaling, because the boxes have equal sizes.
  double efficiency(double of_seconds) const { return seconds_of_one / of_seconds; }
  double share_of_bandwidth(double of_seconds) const { return bytes / of_seconds / triad_bandwidth; }
  double share_of_peak(double of_seconds) const { return operations / of_seconds / peak; }
};

/// Cost of a step for one assignment of boxes to ranks. Times are medians over batches of steps.
struct step_cost {
  double exchange_seconds = 0;       ///< time of the exchange of all faces
  double seconds = 0;                ///< time of a complete step
  double communication_seconds = 0;  ///< time of packing, waiting and unpacking in a step; maximum over ranks
  bool overlap = false;
  std::int64_t bytes = 0;           ///< number of bytes that all ranks send in an exchange
  std::int64_t bytes_off_host = 0;  ///< number of bytes that are sent to other hosts
  /// largest difference from the exact solution, relative to the initial amplitude 1 of the solution
  double error = 0;
  std::uint64_t digest = 0;  ///< digest of the last temperatures; the digest is equal for all decompositions and orders
};

/// Measure sweeps and the triad alternately. The result is the fastest sweep and the fastest triad.
/// @collective on comm
template <class T>
sweep_cost measure_sweep(MPI_Comm comm, const cartesian& where, const poisson_options& options);

/// Measure exchanges and steps.
/// @param comm communicator in which rank r has box r
/// @param host number of the host of each rank of comm; the numbers are arbitrary
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

/// Time in s of several steps on a small grid, for the trial of a binding.
/// @return time, equal on all ranks @collective on comm
template <class T>
double seconds_of_steps(MPI_Comm comm);
extern template double seconds_of_steps<float>(MPI_Comm);
extern template double seconds_of_steps<double>(MPI_Comm);

/// A communicator in which rank r is rank `order[r]` of comm. @collective on comm
comm::communicator reordered(MPI_Comm comm, const std::vector<int>& order);

}  // namespace osteon::studies
