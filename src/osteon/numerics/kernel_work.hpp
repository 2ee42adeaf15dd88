#pragma once
/// @file
/// What a solver's kernels have to do at least: bytes through the memory, operations in the cores.
#include <mpi.h>

#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::numerics {

/// Bytes count as if no vector stayed in a cache from one kernel to the next, each read and written once by a kernel; what a
/// kernel adds to is read before. So a small problem may seem to move more than the memory could.
struct kernel_work {
  double bytes = 0;
  double operations = 0;  ///< additions, multiplications and divisions of floating-point numbers

  kernel_work& operator+=(const kernel_work& other) {
    bytes += other.bytes;
    operations += other.operations;
    return *this;
  }
  friend kernel_work operator+(kernel_work a, const kernel_work& b) { return a += b; }
  friend kernel_work operator*(double times, const kernel_work& w) { return {times * w.bytes, times * w.operations}; }

  /// @collective on comm
  kernel_work of_all_ranks(MPI_Comm comm) const {
    double both[2] = {bytes, operations};
    comm::all_reduce(comm, both, 2, MPI_SUM);
    return {both[0], both[1]};
  }
};

/// CPU seconds of all ranks and threads since it was made or restarted.
class cpu_clock {
 public:
  void restart() { begin_ = cpu_seconds(); }
  /// @collective on comm
  double of_all_ranks(MPI_Comm comm) const {
    double seconds = cpu_seconds() - begin_;
    comm::all_reduce(comm, &seconds, 1, MPI_SUM);
    return seconds;
  }

 private:
  double begin_ = cpu_seconds();
};

}  // namespace osteon::numerics
