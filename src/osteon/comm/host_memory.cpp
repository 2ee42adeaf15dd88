#include <osteon/comm/host_memory.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <osteon/base/allocation.hpp>
#include <osteon/base/container_limits.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::comm {

namespace {

double memory_of_system() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  for (double kilobytes = 0; file >> key >> kilobytes; file.ignore(80, '\n'))
    if (key == "MemAvailable:") return 1024 * kilobytes;
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double resident_memory() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

double available_memory() {
  const double of_system = memory_of_system();
  return std::min(of_system, memory_left_in_container().value_or(of_system));
}

void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice) {
  const communicator host = communicator::of_host(comm);
  double sums[2] = {bytes_of_rank, resident_memory()};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, host.get());
  const auto [need, in_use] = sums;
  collectively(comm, [&] {
    double there = available_memory();
    if (const auto batch = allocation_of(own_variable); batch && batch->memory_bytes)
      there = std::min(there, std::max(0.0, *batch->memory_bytes - in_use));
    if (need > there)
      throw machine_error(
          fmt::format("{} requires {:.1f} GB on this host ({} of {} ranks), but only {:.1f} GB are available; {}", subject,
                      need / 1e9, host.size(), size(comm), there / 1e9, advice));
  });
}

}  // namespace osteon::comm
