#pragma once
/// @file
/// Work of a solver's kernels: bytes of memory traffic and floating-point operations.
#include <mpi.h>

#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::numerics {

/// The byte count assumes that no vector stays in a cache between kernels. Each kernel reads its inputs once, writes its
/// outputs once, and reads the vectors to which the kernel adds. For a small problem, the resulting bandwidth may therefore
/// exceed the memory bandwidth.
struct kernel_work {
  double bytes = 0;
  double operations = 0;  ///< floating-point additions, multiplications and divisions

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

/// CPU seconds of all ranks and threads since construction or restart.
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
