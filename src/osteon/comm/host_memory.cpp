#include <osteon/comm/host_memory.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
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

namespace {

// Compare the memory that the ranks of each host are about to allocate with `available(memory in use by these ranks)`.
void check(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice,
           const std::function<double(double)>& available) {
  const communicator host = communicator::of_host(comm);
  double sums[2] = {bytes_of_rank, resident_memory()};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, host.get());
  const double need = sums[0], in_use = sums[1];
  collectively(comm, [&] {
    if (const double there = available(in_use); need > there)
      throw machine_error(
          fmt::format("{} requires {:.3g} GB on this host ({} of {} ranks), but only {:.3g} GB are available; {}", subject,
                      need / 1e9, host.size(), size(comm), there / 1e9, advice));
  });
}

}  // namespace

void check_host_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice) {
  check(comm, bytes_of_rank, subject, advice, [](double) { return available_memory(); });
}

void check_job_memory(MPI_Comm comm, double bytes_of_rank, const std::string& subject, const std::string& advice) {
  check(comm, bytes_of_rank, subject, advice, [](double in_use) {
    const auto batch = allocation_of(own_variable);
    const double of_system = available_memory();
    return batch && batch->memory_bytes ? std::min(of_system, std::max(0.0, *batch->memory_bytes - in_use)) : of_system;
  });
}

}  // namespace osteon::comm
