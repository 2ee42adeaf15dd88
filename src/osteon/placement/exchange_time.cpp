#include <fmt/format.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/base/kth_smallest.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/placement/place.hpp>

namespace osteon::placement {

double exchange_seconds(MPI_Comm comm, const graph& g, int repeats) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const int me = comm::rank(comm);
  std::vector<char> out, in;
  comm::collectively(comm, [&] {
    if (g.size() != comm::size(comm))
      throw usage_error(fmt::format("the graph has {} subdomains for {} ranks; one subdomain per rank is required", g.size(),
                                    comm::size(comm)));
    std::int64_t sum = 0, largest = 0;
    for (const std::int64_t w : g.weights(me)) sum += w, largest = std::max(largest, w);
    if (largest > most) throw usage_error(fmt::format("message of {} bytes exceeds the limit of {} bytes", largest, most));
    out.assign(static_cast<std::size_t>(largest), 1);
    in.resize(static_cast<std::size_t>(sum));
  });
  const auto to = g.neighbours(me);
  const auto bytes = g.weights(me);
  std::vector<MPI_Request> requests(2 * to.size());
  std::vector<double> seconds;
  for (int i = -1; i < repeats; ++i) {  // the first repetition establishes connections
    MPI_Barrier(comm);
    double time = MPI_Wtime();
    std::size_t place = 0;
    for (std::size_t k = 0; k < to.size(); ++k) {
      MPI_Irecv(in.data() + place, static_cast<int>(bytes[k]), MPI_CHAR, to[k], 0, comm, &requests[2 * k]);
      place += static_cast<std::size_t>(bytes[k]);
    }
    for (std::size_t k = 0; k < to.size(); ++k)
      MPI_Isend(out.data(), static_cast<int>(bytes[k]), MPI_CHAR, to[k], 0, comm, &requests[2 * k + 1]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    time = MPI_Wtime() - time;
    comm::all_reduce(comm, &time, 1, MPI_MAX);
    if (i >= 0) seconds.push_back(time);
  }
  if (seconds.empty()) return 0;
  return kth_smallest(seconds, seconds.size() / 2);
}

}  // namespace osteon::placement
