#pragma once
/// @file
/// Ranks of all keys by one digit. The algorithm is the parallel bucket sort of [Itakura] without movement of keys.
#include <mpi.h>

#include <memory>
#include <studies/hyper_crossbar/integer_sort/digit_counts.hpp>

namespace osteon::studies::integer_sort {

/// Times of a phase, divided as in [Itakura]. `trans` is the time of sending, receiving and waiting for other ranks.
struct phase_seconds {
  double exec = 0, trans = 0;
};

/// Counts digits. Computes, for each value, the position of the first key of a rank. This position is the sum of two
/// numbers: the number of keys with lower values on all ranks (global rank), and the number of keys with an equal value on
/// lower ranks (column rank).
class digit_ranks {
 public:
  virtual ~digit_ranks() = default;

  /// Compute the ranks of the keys of this rank by a digit.
  /// @collective on the communicator used for the construction
  virtual void rank(std::span<const std::int32_t> keys, digit which, phase_seconds& seconds) = 0;
  /// Positions of the first key of this rank for each value, shape (values). The caller increments the position after
  /// placing a key.
  virtual std::span<std::uint32_t> starts(phase_seconds& seconds) = 0;
};

/// Digit ranks with tables in memory that is shared by the ranks of one host. Each rank sums a range of values over all
/// tables.
/// @param keys largest number of keys on this rank
/// @param digits digits of the following calls
/// @throws machine_error if the host does not have enough shared memory
/// @collective on host, which is borrowed
std::unique_ptr<digit_ranks> digit_ranks_in_shared_memory(MPI_Comm host, std::int64_t keys, std::span<const digit> digits);

/// Digit ranks with tables in messages. Column ranks are computed along a binary tree. The last rank broadcasts the global
/// ranks.
/// @collective on comm, which is borrowed
std::unique_ptr<digit_ranks> digit_ranks_by_messages(MPI_Comm comm, std::int64_t keys, std::span<const digit> digits);

}  // namespace osteon::studies::integer_sort
