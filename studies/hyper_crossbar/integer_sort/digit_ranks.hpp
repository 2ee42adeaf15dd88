#pragma once
/// @file
/// Ranks of all keys by one digit: [Itakura]'s parallel bucket sort without movement of keys.
#include <mpi.h>

#include <memory>
#include <studies/hyper_crossbar/integer_sort/digit_counts.hpp>

namespace osteon::studies::integer_sort {

/// Times as split by [Itakura]: `trans` is sending, receiving and waiting for others.
struct phase_seconds {
  double exec = 0, trans = 0;
};

/// Counts digits and finds for each value the position of a rank's first key: the number of keys of lower values on all
/// ranks (global rank) plus those of the same value on lower ranks (column rank).
class digit_ranks {
 public:
  virtual ~digit_ranks() = default;

  /// Rank this rank's keys by a digit.
  /// @collective on the communicator of its construction
  virtual void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) = 0;
  /// Positions of the first own key of each value, shape (values); the caller increments them as keys are placed.
  virtual std::span<std::uint32_t> starts(phase_seconds& seconds) = 0;
};

/// Tables in memory shared by the ranks of one host; each rank sums a range of values over all tables.
/// @param keys largest number on this rank
/// @param digits digits of the following calls
/// @throws machine_error if the host does not have enough shared memory
/// @collective on host, which is borrowed
std::unique_ptr<digit_ranks> digit_ranks_in_shared_memory(MPI_Comm host, std::int64_t keys, std::span<const digit> digits);

/// Tables in messages: column ranks along a binary tree, global ranks by a broadcast of the last rank.
/// @collective on comm, which is borrowed
std::unique_ptr<digit_ranks> digit_ranks_by_messages(MPI_Comm comm, std::int64_t keys, std::span<const digit> digits);

}  // namespace osteon::studies::integer_sort
