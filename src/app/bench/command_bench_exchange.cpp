#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <memory>
#include <osteon/bench/bench.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::app {

namespace {

struct bench_exchange_options {
  int ranks = 2;
  std::vector<std::int64_t> bytes{64, 4096, 65536, 1048576};
  std::vector<double> skews{1};
  std::vector<std::string> schedules{"shared", "ring"};
  double seconds = 0.5;
  std::string json;
};

void measure(MPI_Comm comm, const bench_exchange_options& options) {
  const bool prints = comm::rank(comm) == 0;
  auto rows = nlohmann::ordered_json::array();
  if (prints && options.json != "-")
    fmt::print("{:>9} {:>5}  {:<16} {:>11} {:>11} {:>9}  {}\n", "bytes", "skew", "way", "best us", "median us", "GB/s",
               "speed relative to MPI_Alltoallv");
  for (const std::int64_t bytes : options.bytes)
    for (const double skew : options.skews) {
      const auto times = bench::measure_exchange(comm, {bytes, skew}, options.schedules, options.seconds);
      if (!prints) continue;
      for (const auto& t : times) {
        const double ratio = times.front().median / t.median;
        rows.push_back({{"name", fmt::format("{} B, skew {}, {}", bytes, skew, t.method)},
                        {"value", t.median},
                        {"unit", "s"},
                        {"best", t.best},
                        {"bytes_per_s", t.bytes_per_second},
                        {"peer", "MPI_Alltoallv"},
                        {"ratio", ratio}});
        if (options.json != "-")
          fmt::print("{:>9} {:>5}  {:<16} {:11.2f} {:11.2f} {:9.3f}  {:.2f}\n", bytes, skew, t.method, 1e6 * t.best,
                     1e6 * t.median, 1e-9 * t.bytes_per_second, ratio);
      }
    }
  if (prints) write_json(options.json, {{"schema", "osteon.bench/1"}, {"ranks", comm::size(comm)}, {"rows", rows}});
}

int bench_exchange(const bench_exchange_options& options, const std::vector<std::string>& arguments) {
  if (!under_launcher()) return start_ranks(options.ranks, 1, arguments);
  return on_all_ranks([&](MPI_Comm comm) { measure(comm, options); });
}

}  // namespace

void add_bench_exchange(registry& commands) {
  const auto o = std::make_shared<bench_exchange_options>();
  command c = commands.add("bench", "exchange", "Compare all-to-all exchanges with MPI_Alltoallv",
                           [o, arguments = commands.arguments()] { return bench_exchange(*o, arguments); });
  c.add_option("-n,--ranks", o->ranks, "MPI processes (default: 2)").positive();
  c.add_option("--bytes", o->bytes, "Sizes of the mean parcel, separated by commas (default: 64,4096,65536,1048576)")
      .delimiter(',')
      .non_negative();
  c.add_option("--skew", o->skews, "Ratio of largest to mean parcel of each round, 1 to the number of ranks (default: 1)")
      .delimiter(',');
  c.add_option("--schedule", o->schedules,
               "Schedules: shared, ring, shift:2x2, xor, pairwise, bruck or hierarchical:RANKS (default: shared,ring)")
      .delimiter(',');
  c.add_option("--seconds", o->seconds, "Measurement time per size and skew, for all schedules together (default: 0.5)")
      .between(0.0, 3600.0);
  add_json(c, o->json);
  c.footer(
      "Received data are compared with those of MPI_Alltoallv.\n\nExamples:\n  osteon bench exchange -n 4 --skew 1,3\n  "
      "osteon bench exchange -n 4 --schedule shared,bruck,hierarchical:2 --bytes 64");
}

}  // namespace osteon::app
