#include <osteon/job/plans/run_network.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/kernel/blend/pixel.hpp>
#include <osteon/render/compositing/probe_machine.hpp>

namespace osteon::job {

namespace {

std::string describe(const machine::link& l) {
  return fmt::format("{:.3g} us and {:.3g} GB/s", l.latency_s * 1e6, l.bandwidth / 1e9);
}

// The slowest value over all ranks.
machine::link slowest_of(MPI_Comm comm, const net::compositing_machine& own) {
  double worst[2] = {own.latency, 1 / own.rate};
  comm::all_reduce(comm, worst, 2, MPI_MAX);
  return {worst[0], 1 / worst[1]};
}

}  // namespace

rank_network network_of_run(MPI_Comm comm) {
  const comm::communicator host = comm::communicator::of_host(comm);
  int first = comm::rank(comm);  // first rank of the host; this rank identifies the host
  MPI_Bcast(&first, 1, MPI_INT, 0, host.get());
  std::vector<int> host_of(static_cast<std::size_t>(comm::size(comm)));
  MPI_Allgather(&first, 1, MPI_INT, host_of.data(), 1, MPI_INT, comm);
  std::vector<int> names = host_of;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (int& h : host_of) h = static_cast<int>(std::lower_bound(names.begin(), names.end(), h) - names.begin());

  const kernel::pixel_format pixels{};
  const int own = host.size();
  const machine::link memory = slowest_of(comm, render::probe_machine(host.get(), pixels, {1, own, own}));
  std::vector<machine::link> ports;
  std::string text = "memory with " + describe(memory);
  if (names.size() > 1) {
    const machine::link between = slowest_of(comm, render::probe_machine(comm, pixels, render::layout_of(comm, 0)));
    ports.assign(names.size(), between);
    text += ", links between hosts with " + describe(between);
  }
  rank_network found = network_of_hosts(host_of, memory, ports);
  found.words += ": " + text + ", measured at the end of the run";
  return found;
}

}  // namespace osteon::job
