#include <osteon/comm/host_memory.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
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

}  // namespace

double available_memory() {
  const double of_system = memory_of_system();
  return std::min(of_system, memory_left_in_container().value_or(of_system));
}

void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice) {
  const communicator host = communicator::of_host(comm);
  double need = bytes_of_rank;
  MPI_Allreduce(MPI_IN_PLACE, &need, 1, MPI_DOUBLE, MPI_SUM, host.get());
  collectively(comm, [&] {
    if (const double there = available_memory(); need > there)
      throw machine_error(
          fmt::format("{} requires {:.1f} GB on this host ({} of {} ranks), but only {:.1f} GB are available; {}", subject,
                      need / 1e9, host.size(), size(comm), there / 1e9, advice));
  });
}

}  // namespace osteon::comm
