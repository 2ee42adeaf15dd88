#pragma once
/// @file
/// The benchmark consists of ten timed rankings and a verification.
#include <string>
#include <studies/hyper_crossbar/integer_sort/radix_sort.hpp>
#include <vector>

namespace osteon::studies::integer_sort {

struct run_options {
  std::string letter = "A";
  std::vector<int> digits;  ///< widths of the digits in bits; the lowest digit is first; empty: one digit of all bits
  /// `shared`, `messages` or `auto`; `auto` selects shared tables if all ranks are on one host
  std::string tables = "auto";
  std::string schedule = "auto";  ///< schedule of the exchange of keys; the names are the names of comm::all_to_all
};

/// An exchange of keys between ranks in rounds. In each round, every rank sends to the rank at a fixed distance.
struct exchange_figures {
  int rounds = 0;
  std::int64_t messages = 0;               ///< number of messages of all rounds
  std::int64_t smallest = 0, largest = 0;  ///< sizes of the smallest and of the largest message in bytes
  /// sum over rounds of the sizes of the largest messages, divided by the sum over rounds of the mean sizes
  double skew = 1;
};

struct run_report {
  std::string digits, tables, schedule;
  double seconds = 0;   ///< duration of ten rankings on the slowest rank
  phase_seconds split;  ///< computing and communication time of the slowest rank
  double cpu = 0;       ///< CPU seconds of the slowest rank, independent of other load on the machine
  double million_keys_per_second = 0;
  int found = 0;                            ///< number of test keys with correct ranks, at most tests * iterations
  std::string fault;                        ///< fault found by the full verification; empty if there is no fault
  std::vector<exchange_figures> exchanges;  ///< exchanges of one ranking
  bool verified() const { return found == tests * iterations && fault.empty(); }
};

/// Largest memory of a rank in bytes, including the verification.
std::int64_t memory_of(const problem_class& problem, std::span<const digit> digits, int ranks);

/// @param ranks_here number of ranks on a host with `available` bytes
/// @throws machine_error if these ranks require more than `available` bytes
void check_memory(const problem_class& problem, std::span<const digit> digits, int ranks, int ranks_here,
                  std::int64_t available);

/// @throws usage_error for an unknown class, for digits with a wrong sum of widths, or for shared tables on several hosts;
/// machine_error before allocation if the memory of the hosts is not sufficient
/// @collective on comm
run_report run(MPI_Comm comm, const run_options& options);

}  // namespace osteon::studies::integer_sort
