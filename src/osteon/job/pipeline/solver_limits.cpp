#include <osteon/job/pipeline/solver_limits.hpp>

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/kernel/machine_limits.hpp>

namespace osteon::job {

namespace {

constexpr double worth_measuring = 0.2;  // time in s per solution

struct limits {
  double bytes_per_second = 0, operations_per_second = 0;  // sums over all ranks
};

// Largest amount of work per second while all ranks work simultaneously.
template <class Work>
double best_rate(MPI_Comm comm, Work work) {
  constexpr int tries = 3;
  double best = 0;
  for (int i = 0; i < tries; ++i) {
    MPI_Barrier(comm);
    const stopwatch watch;
    auto amount = static_cast<double>(work());
    double seconds = watch.seconds();
    comm::all_reduce(comm, &amount, 1, MPI_SUM);
    comm::all_reduce(comm, &seconds, 1, MPI_MAX);
    best = std::max(best, amount / seconds);
  }
  return best;
}

limits measure_limits(MPI_Comm comm) {
  // If the system reports the size of the last-level cache, the arrays of a rank together exceed this size.
  constexpr std::int64_t least = std::int64_t{8} << 20, most = std::int64_t{32} << 20;
  kernel::triad memory(std::clamp<std::int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), least, most));
  limits found;
  found.bytes_per_second = best_rate(comm, [&] { return memory.run(); });
  found.operations_per_second = best_rate(comm, [] { return kernel::multiply_and_add<float>(); });
  return found;
}

}  // namespace

nlohmann::ordered_json describe_solver(MPI_Comm comm, const numerics::solve_certificate& certificate, bool with_limits,
                                       bool always) {
  nlohmann::ordered_json described = {{"setup_cpu_seconds", certificate.setup_cpu_seconds},
                                      {"solve_cpu_seconds", certificate.solve_cpu_seconds}};
  const numerics::kernel_work& work = certificate.work;
  if (!with_limits || !(work.bytes > 0)) return described;
  described["kernel_bytes"] = work.bytes;
  described["kernel_operations"] = work.operations;
  double seconds = certificate.solve_seconds - certificate.earlier_seconds;
  comm::all_reduce(comm, &seconds, 1, MPI_MAX);
  if (!(seconds > 0) || (seconds < worth_measuring && !always)) return described;
  const limits beside = measure_limits(comm);
  described["triad_bytes_per_second"] = beside.bytes_per_second;
  described["peak_operations_per_second"] = beside.operations_per_second;
  described["share_of_bandwidth"] = work.bytes / seconds / beside.bytes_per_second;
  described["share_of_peak"] = work.operations / seconds / beside.operations_per_second;
  return described;
}

}  // namespace osteon::job
