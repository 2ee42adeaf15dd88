#include <osteon/bench/bench.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/exchange/exchange.hpp>
#include <osteon/comm/reductions.hpp>
#include <random>

namespace osteon::bench {

namespace {

// In round s, rank r sends a parcel to rank r + s. One rank sends a parcel with `skew` times the mean size. All other ranks
// send equal parcels.
std::int64_t parcel_bytes(const exchange_case& parameters, int from, int to, int ranks) {
  const int round = (to - from + ranks) % ranks;
  if (round == 0 || ranks == 1) return parameters.bytes;
  const double share = from == round * 5 % ranks ? parameters.skew : (ranks - parameters.skew) / (ranks - 1);
  return std::llround(share * static_cast<double>(parameters.bytes));
}

std::vector<int> in_ints(const std::vector<std::int64_t>& values) { return {values.begin(), values.end()}; }

struct timed_method {
  std::string name;
  std::function<void(std::vector<std::byte>& in)> run;
  std::vector<double> seconds;
};

// Mean duration in s of `times` runs on the slowest rank.
double slowest(MPI_Comm comm, const timed_method& method, std::vector<std::byte>& in, int times) {
  MPI_Barrier(comm);
  const stopwatch watch;
  for (int i = 0; i < times; ++i) method.run(in);
  double seconds = watch.seconds() / times;
  comm::all_reduce(comm, &seconds, 1, MPI_MAX);
  return seconds;
}

}  // namespace

std::vector<exchange_time> measure_exchange(MPI_Comm comm, const exchange_case& parameters,
                                            const std::vector<std::string>& schedules, double seconds) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  comm::collectively(comm, [&] {
    if (parameters.skew < 1 || parameters.skew > ranks)
      throw usage_error(fmt::format("skew {} on {} ranks: must be in [1, {}]", parameters.skew, ranks, ranks));
    if (parameters.bytes < 0 || static_cast<double>(parameters.bytes) * parameters.skew * ranks > 2e9)
      throw usage_error(
          fmt::format("parcels of {} bytes: the parcels of one rank must not exceed 2 GB in total (limit of MPI_Alltoallv)",
                      parameters.bytes));
  });
  std::vector<std::int64_t> out_bytes, in_bytes;
  double moved = 0;
  for (int r = 0; r < ranks; ++r) {
    out_bytes.push_back(parcel_bytes(parameters, rank, r, ranks));
    in_bytes.push_back(parcel_bytes(parameters, r, rank, ranks));
    if (r != rank) moved += static_cast<double>(out_bytes.back());
  }
  comm::all_reduce(comm, &moved, 1, MPI_SUM);
  const auto to = comm::parcels::packed(out_bytes), from = comm::parcels::packed(in_bytes);
  std::vector<std::byte> out(static_cast<std::size_t>(to.elements()));
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::generate(out.begin(), out.end(), [&] { return static_cast<std::byte>(random()); });

  std::vector<timed_method> methods;
  methods.push_back({"MPI_Alltoallv",
                     [&, c1 = in_ints(to.counts), o1 = in_ints(to.offsets), c2 = in_ints(from.counts),
                      o2 = in_ints(from.offsets)](std::vector<std::byte>& in) {
                       MPI_Alltoallv(out.data(), c1.data(), o1.data(), MPI_BYTE, in.data(), c2.data(), o2.data(), MPI_BYTE,
                                     comm);
                     },
                     {}});
  std::vector<comm::all_to_all> exchanges;
  for (const std::string& s : schedules) exchanges.emplace_back(comm, comm::all_to_all_options{s});
  for (comm::all_to_all& e : exchanges)
    methods.push_back({e.schedule(), [&](std::vector<std::byte>& in) { e.run<std::byte>(out, to, in, from); }, {}});

  std::vector<std::byte> expected(static_cast<std::size_t>(from.elements())), in(expected.size());
  methods.front().run(expected);
  for (const timed_method& method : methods) {
    std::fill(in.begin(), in.end(), std::byte{0});
    method.run(in);
    comm::collectively(comm, [&] {
      if (in != expected) throw data_error(fmt::format("'{}' and MPI_Alltoallv deliver different data", method.name));
    });
  }
  // A batch takes about a millisecond. The durations of the calls of the clock and of the barrier are then negligible.
  double one = slowest(comm, methods.front(), in, 3);
  MPI_Bcast(&one, 1, MPI_DOUBLE, 0, comm);
  const int times = static_cast<int>(std::clamp(1e-3 / one, 1.0, 1000.0));
  const int turns = std::max(5, static_cast<int>(seconds / (one * times * static_cast<double>(methods.size()))));
  for (int turn = 0; turn < std::min(turns, 2000); ++turn)
    for (timed_method& method : methods) method.seconds.push_back(slowest(comm, method, in, times));

  std::vector<exchange_time> result;
  for (timed_method& method : methods) {
    std::sort(method.seconds.begin(), method.seconds.end());
    const double median = method.seconds[method.seconds.size() / 2];
    result.push_back({method.name, method.seconds.front(), median, moved / median});
  }
  return result;
}

}  // namespace osteon::bench
