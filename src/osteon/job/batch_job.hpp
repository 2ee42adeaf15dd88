#pragma once
/// @file
/// Batch job in which this process runs: its resources with the answers of the batch system, and its end.
#include <chrono>
#include <osteon/base/allocation.hpp>
#include <osteon/base/stopwatch.hpp>
#include <string>

namespace osteon::job {

/// Allocation of this process. The batch system is asked for the time left and the memory; if it does not answer within ten
/// seconds, these values follow from environment variables or are empty. @return none outside of a batch job
/// @collective local @cost one program of the batch system
std::optional<allocation> read_allocation();

/// "Slurm job 12: 4 tasks on 2 hosts, 1.05 GB of memory per host, 59 min left".
std::string text_of(const allocation& batch);

/// Largest number of ranks of a job with `threads` threads per rank: the requested tasks, at most the cores; otherwise the
/// cores. At least 1.
int ranks_of(const allocation& batch, std::int64_t threads);

/// End of a batch job. Time is measured by a clock that does not jump.
class allocation_end {
 public:
  allocation_end() : allocation_end(read_allocation()) {}
  explicit allocation_end(std::optional<allocation> batch);

  /// Time left [s]; none without a limit.
  std::optional<double> seconds_left() const;
  /// True if less than `needed_s` are left. The batch system is asked again before this function returns true, because a
  /// limit can be raised. If the clock of this host has jumped, the answer is not used, because it depends on this clock.
  bool is_within(double needed_s);
  /// "Slurm job 12".
  std::string name() const;

 private:
  std::optional<allocation> batch_;
  stopwatch since_answer_;
  std::chrono::system_clock::time_point answered_ = std::chrono::system_clock::now();
};

}  // namespace osteon::job
