#pragma once
/// @file
/// Ranks of all keys by one digit: [Itakura]'s parallel bucket sort without moving a key.
#include <mpi.h>

#include <memory>
#include <studies/hyper_crossbar/integer_sort/digit_counts.hpp>

namespace osteon::studies::integer_sort {

/// Where the time went, as [Itakura] splits it: `trans` is sending, receiving and waiting for others.
struct phase_seconds {
  double exec = 0, trans = 0;
};

/// Counts digits and finds for each value where a rank's first key of it goes: the keys of lower values on all ranks
/// (global rank) and those of the same value on lower ranks (column rank).
class digit_ranks {
 public:
  virtual ~digit_ranks() = default;

  /// Rank this rank's keys by a digit.
  /// @collective on the communicator of its making
  virtual void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) = 0;
  /// Places of the first own key of each value, shape (values); to be counted up by the caller as keys are placed.
  virtual std::span<std::uint32_t> starts(phase_seconds& seconds) = 0;
};

/// Tables in memory that the ranks of one host share; each rank sums a stretch of values over all tables.
/// @param keys at most on this rank
/// @param digits that will be ranked by
/// @throws machine_error if the host has not so much shared memory
/// @collective on host, which is borrowed
std::unique_ptr<digit_ranks> digit_ranks_in_shared_memory(MPI_Comm host, std::int64_t keys, std::span<const digit> digits);

/// Tables in messages: column ranks along a binary tree, global ranks by a broadcast of the last rank.
/// @collective on comm, which is borrowed
std::unique_ptr<digit_ranks> digit_ranks_by_messages(MPI_Comm comm, std::int64_t keys, std::span<const digit> digits);

}  // namespace osteon::studies::integer_sort
