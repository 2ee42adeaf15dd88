#pragma once
/// @file
/// Parallel radix sort. For each digit, beginning with the lowest digit, the keys are ranked and sent to their positions.
/// For the last digit, the keys are only ranked. With one digit that contains all bits, the algorithm is a counting sort and
/// moves no key.
/// @cite [Itakura]
#include <mpi.h>

#include <array>
#include <osteon/comm/exchange/exchange.hpp>
#include <studies/hyper_crossbar/integer_sort/digit_ranks.hpp>
#include <studies/hyper_crossbar/integer_sort/huge_pages.hpp>
#include <studies/hyper_crossbar/integer_sort/problem.hpp>
#include <vector>

namespace osteon::studies::integer_sort {

/// Keys in an order, with the original positions of the keys.
struct arrangement {
  huge_vector<std::int32_t> keys;
  huge_vector<std::uint32_t> origins;  ///< index of each key in the whole sequence
};

/// Digits of these widths. The lowest digit is first. @throws usage_error if the sum of the widths differs from the number
/// of bits of the problem
std::vector<digit> digits_of(const problem_class& problem, const std::vector<int>& widths);

class radix_sort {
 public:
  enum class tables { shared, messages };  ///< method for the summation of counts over ranks

  /// @param schedule schedule of the exchange of keys; the names are the names of comm::all_to_all
  /// @throws usage_error for an unknown schedule; machine_error if shared tables do not fit in shared memory
  /// @collective on comm, which is borrowed; with shared tables, all ranks of comm are on one host
  radix_sort(MPI_Comm comm, const problem_class& problem, std::vector<digit> digits, tables way,
             const std::string& schedule = "auto");

  /// Rank the keys of all ranks.
  /// @param keys keys of this rank, shape (blocks.count(rank)); used until the next call of `rank` or `arrange`
  /// @param test_keys keys whose ranks are requested; each test key must be one of the keys
  /// @return number of keys below each test key, on the rank that finds the test key; -1 on other ranks
  /// @collective
  std::array<std::int64_t, tests> rank(std::span<const std::int32_t> keys, const std::array<std::int32_t, tests>& test_keys);

  /// All keys in the positions of the last `rank`. @collective
  arrangement arrange();

  const phase_seconds& seconds() const { return seconds_; }
  void restart_clocks() { seconds_ = {}; }
  /// Number of keys that the last ranking sent to each rank, including this rank, shape (digits - 1)(ranks).
  std::vector<std::vector<std::int64_t>> sent() const { return {sent_.begin(), sent_.end() - 1}; }
  const std::string& schedule() const { return exchange_.schedule(); }
  static constexpr std::int64_t bytes_of_sent_key = 12;

 private:
  struct record {
    std::int32_t key;
    std::uint32_t origin, place;  ///< position within the block of the receiver
  };
  struct origin_and_key {
    std::uint32_t origin;
    std::int32_t key;
  };
  void move(std::size_t pass, arrangement& into);
  /// Number of keys sent to each rank.
  void count_sent(digit by, std::span<const std::uint32_t> starts, std::vector<std::int64_t>& sent);
  /// Call take(place, run) for all keys. Each run consists of consecutive positions and ends at a cache line. The positions
  /// of different values are far apart, often at multiples of the size of a cache. Each write of a single key would
  /// therefore cause a cache miss.
  template <class Take>
  void in_runs(digit by, std::span<std::uint32_t> next, Take take);
  std::int64_t owned_place(std::int64_t place) const;

  MPI_Comm comm_;
  int rank_, ranks_;
  blocks blocks_;
  std::vector<digit> digits_;
  std::unique_ptr<digit_ranks> digit_ranks_;
  phase_seconds seconds_;
  std::span<const std::int32_t> keys_;      ///< keys in the current arrangement
  std::span<const std::uint32_t> origins_;  ///< empty for the original order
  std::array<arrangement, 2> held_;         ///< two arrangements, which are used alternately
  std::vector<std::uint32_t> counts_;
  std::vector<origin_and_key> lines_;
  huge_vector<record> sends_, arrivals_;
  std::vector<std::vector<std::int64_t>> sent_;
  comm::all_to_all exchange_;
};

}  // namespace osteon::studies::integer_sort
