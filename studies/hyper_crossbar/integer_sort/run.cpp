#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/host_memory.hpp>
#include <studies/hyper_crossbar/integer_sort/run.hpp>
#include <studies/hyper_crossbar/integer_sort/verify.hpp>

namespace osteon::studies::integer_sort {

namespace {

radix_sort::tables tables_named(MPI_Comm comm, MPI_Comm host, const std::string& name) {
  int alone = comm::size(host) == comm::size(comm);
  MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_MIN, comm);
  if (name == "messages") return radix_sort::tables::messages;
  if (name != "auto" && name != "shared")
    throw usage_error(fmt::format("tables '{}' of the integer sort: use auto, shared or messages", name));
  if (name == "shared" && !alone)
    throw usage_error("the ranks are on several hosts, which share no memory: use messages for the tables");
  return alone ? radix_sort::tables::shared : radix_sort::tables::messages;
}

std::array<std::int32_t, tests> find_test_keys(MPI_Comm comm, const problem_class& problem, std::int64_t first,
                                               std::span<const std::int32_t> keys) {
  std::array<std::int32_t, tests> found;
  found.fill(-1);
  for (std::size_t t = 0; t < tests; ++t)
    if (const std::int64_t at = problem.test_index[t] - first; at >= 0 && at < std::ssize(keys))
      found[t] = keys[static_cast<std::size_t>(at)];
  MPI_Allreduce(MPI_IN_PLACE, found.data(), tests, MPI_INT32_T, MPI_MAX, comm);
  return found;
}

exchange_figures figures_of(MPI_Comm comm, const std::vector<std::int64_t>& sent, std::int64_t all_keys) {
  const int ranks = comm::size(comm);
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<std::int64_t> matrix(p * p);
  MPI_Allgather(sent.data(), ranks, MPI_INT64_T, matrix.data(), ranks, MPI_INT64_T, comm);
  exchange_figures result;
  result.rounds = ranks - 1;
  if (ranks == 1) return result;
  result.smallest = std::numeric_limits<std::int64_t>::max();
  double largest_sum = 0;
  for (std::size_t round = 1; round < p; ++round) {
    std::int64_t largest = 0;
    for (std::size_t from = 0; from < p; ++from) {
      const std::int64_t keys = matrix[from * p + (from + round) % p];
      largest = std::max(largest, keys);
      result.messages += keys > 0;
      result.smallest = std::min(result.smallest, keys * radix_sort::bytes_of_sent_key);
    }
    largest_sum += static_cast<double>(largest);
    result.largest = std::max(result.largest, largest * radix_sort::bytes_of_sent_key);
  }
  result.skew = largest_sum * ranks * ranks / (static_cast<double>(all_keys) * result.rounds);
  return result;
}

}  // namespace

std::int64_t memory_of(const problem_class& problem, std::span<const digit> digits, int ranks) {
  const std::int64_t keys = blocks(problem.keys(), ranks).count(0);
  // moves of 8 bytes per key; the verification requires one further move
  const std::int64_t moves = digits.size() > 1 ? 3 : 1;
  const std::int64_t messages = ranks > 1 ? 2 * radix_sort::bytes_of_sent_key : 0;
  return keys * (4 + 8 * moves + messages) + most_values(digits) * 16;  // three arrays of counts, and one array of starts
}

void check_memory(const problem_class& problem, std::span<const digit> digits, int ranks, int ranks_here,
                  std::int64_t available) {
  const std::int64_t needed = memory_of(problem, digits, ranks) * ranks_here;
  if (needed > available)
    throw machine_error(fmt::format(
        "class {} requires {:.1f} GB on a host with {} of the {} ranks, but {:.1f} GB are free: use more hosts, or a "
        "smaller class",
        problem.letter, 1e-9 * static_cast<double>(needed), ranks_here, ranks, 1e-9 * static_cast<double>(available)));
}

run_report run(MPI_Comm comm, const run_options& options) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  const comm::communicator host = [&] {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
    return comm::communicator::take(made);
  }();
  const problem_class* problem = nullptr;
  std::vector<digit> digits;
  comm::collectively(comm, [&] {
    problem = &problem_of(options.letter);
    digits = digits_of(*problem, options.digits.empty() ? std::vector{problem->log2_values} : options.digits);
    check_memory(*problem, digits, ranks, comm::size(host.get()), static_cast<std::int64_t>(comm::available_memory()));
  });
  auto way = tables_named(comm, host.get(), options.tables);

  const blocks all(problem->keys(), ranks);
  huge_vector<std::int32_t> keys(static_cast<std::size_t>(all.count(rank)));
  const std::int64_t first = all.begin(rank);
  make_keys(*problem, first, keys);
  const auto test_keys = find_test_keys(comm, *problem, first, keys);
  const auto make = [&] { return radix_sort(comm, *problem, digits, way, options.schedule); };
  radix_sort sort = [&] {
    try {
      return make();
    } catch (const machine_error&) {  // all ranks throw the error if the shared memory is not sufficient
      if (options.tables != "auto" || way == radix_sort::tables::messages) throw;
      way = radix_sort::tables::messages;
      return make();
    }
  }();

  // One untimed ranking precedes the timed rankings, as in the reference implementation. This ranking touches all memory.
  change_keys(*problem, 1, first, keys);
  sort.rank(keys, test_keys);
  sort.restart_clocks();
  std::array<std::array<std::int64_t, tests>, iterations> found;
  MPI_Barrier(comm);
  const stopwatch watch;
  const double cpu_begin = cpu_seconds();
  for (int i = 1; i <= iterations; ++i) {
    change_keys(*problem, i, first, keys);
    found[static_cast<std::size_t>(i - 1)] = sort.rank(keys, test_keys);
  }
  double cpu = cpu_seconds() - cpu_begin;
  struct {
    double seconds;
    int rank;
  } slowest{watch.seconds(), rank};
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);

  run_report report;
  report.digits =
      fmt::format("{}", fmt::join(options.digits.empty() ? std::vector{problem->log2_values} : options.digits, "+"));
  report.tables = way == radix_sort::tables::shared ? "shared" : "messages";
  report.schedule = sort.schedule();
  report.seconds = slowest.seconds;
  report.split = sort.seconds();
  MPI_Bcast(&report.split, 2, MPI_DOUBLE, slowest.rank, comm);
  MPI_Bcast(&cpu, 1, MPI_DOUBLE, slowest.rank, comm);
  report.cpu = cpu;
  report.million_keys_per_second = 1e-6 * iterations * static_cast<double>(problem->keys()) / report.seconds;
  for (const auto& sent : sort.sent()) report.exchanges.push_back(figures_of(comm, sent, problem->keys()));
  MPI_Allreduce(MPI_IN_PLACE, found.data(), tests * iterations, MPI_INT64_T, MPI_MAX, comm);
  for (int i = 1; i <= iterations; ++i)
    for (int t = 0; t < tests; ++t)
      report.found += found[static_cast<std::size_t>(i - 1)][static_cast<std::size_t>(t)] == problem->expected_rank(t, i);
  report.fault = fault_of(comm, keys, first, sort.arrange());
  return report;
}

}  // namespace osteon::studies::integer_sort
