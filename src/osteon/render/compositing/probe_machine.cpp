#include <algorithm>
#include <limits>
#include <osteon/base/container_limits.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <osteon/render/compositing/probe_machine.hpp>
#include <vector>

namespace osteon::render {

namespace {

constexpr int tries = 6;  // number of measurements; the result is the shortest time
constexpr std::size_t message_bytes = 1 << 18;

double slowest(MPI_Comm comm, double seconds) {
  comm::all_reduce(comm, &seconds, 1, MPI_MAX);
  return seconds;
}

template <class Work>
double best_time(Work work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const stopwatch watch;
    work();
    best = std::min(best, watch.seconds());
  }
  return best;
}

// Time in s of sending and receiving messages of `bytes` bytes simultaneously.
double exchange_time(MPI_Comm comm, int distance, std::size_t bytes) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  std::vector<std::byte> out(bytes), in(bytes);
  return slowest(comm, best_time([&] {
                   MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, (rank + distance) % ranks, 0, in.data(),
                                static_cast<int>(bytes), MPI_BYTE, (rank + ranks - distance) % ranks, 0, comm,
                                MPI_STATUS_IGNORE);
                 }));
}

}  // namespace

host_layout layout_of(MPI_Comm comm, int ranks_per_host) {
  const int ranks = comm::size(comm);
  if (ranks_per_host > 0) {
    const int hosts = (ranks + ranks_per_host - 1) / ranks_per_host;
    return {hosts, ranks - (hosts - 1) * ranks_per_host, std::min(ranks, ranks_per_host)};
  }
  const comm::communicator host = comm::communicator::of_host(comm);
  host_layout layout{host.rank() == 0 ? 1 : 0, host.size(), host.size()};
  comm::all_reduce(comm, &layout.hosts, 1, MPI_SUM);
  comm::all_reduce(comm, &layout.ranks_per_host, 1, MPI_MIN);
  comm::all_reduce(comm, &layout.most_ranks, 1, MPI_MAX);
  return layout;
}

net::compositing_machine probe_machine(MPI_Comm comm, kernel::pixel_format format, const host_layout& layout) {
  net::compositing_machine machine;
  machine.name = "this machine";
  machine.ranks_per_host = layout.most_ranks;
  // During the shortest measurement, each rank has a core of its own. During a frame, all ranks of a host use the cores of
  // the host.
  const double cores = cores_of_host();
  const double crowd = std::max(1.0, layout.most_ranks / cores);

  const std::size_t pixels = message_bytes / format.bytes();
  std::vector<std::byte> front(message_bytes), back(message_bytes), result(message_bytes);
  const std::vector<kernel::layer> layers{{format, front.data()}, {format, back.data()}};
  const double blending =
      slowest(comm, best_time([&] { kernel::blend(format, result.data(), layers, static_cast<std::int64_t>(pixels)); }));
  machine.blend_rate = static_cast<double>(message_bytes) / (crowd * blending);

  const int ranks = comm::size(comm);
  const int distance = layout.hosts > 1 ? std::min(layout.most_ranks, ranks - 1) : 1;
  machine.latency = machine.collect_latency = crowd * exchange_time(comm, distance, 0);
  const double sending = crowd * exchange_time(comm, distance, message_bytes);
  // With a clock of low resolution, the bandwidth must not become infinite.
  machine.rate = static_cast<double>(message_bytes) / std::max(sending - machine.latency, sending / 10);
  machine.collect_rate = machine.rate;
  return machine;
}

}  // namespace osteon::render
