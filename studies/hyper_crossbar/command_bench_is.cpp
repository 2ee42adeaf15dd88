#include <fmt/format.h>

#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/hyper_crossbar/integer_sort/run.hpp>

namespace osteon::studies {

using namespace app;

namespace {

namespace is = integer_sort;

struct bench_is_options {
  int ranks = 1;
  is::run_options run;
  std::string json;
};

nlohmann::ordered_json in_json(const bench_is_options& options, int ranks, const is::run_report& r) {
  auto exchanges = nlohmann::ordered_json::array();
  for (const auto& e : r.exchanges)
    exchanges.push_back({{"rounds", e.rounds},
                         {"messages", e.messages},
                         {"smallest_bytes", e.smallest},
                         {"largest_bytes", e.largest},
                         {"skew", e.skew}});
  return {{"schema", "osteon.bench/1"}, {"class", options.run.letter}, {"ranks", ranks},
          {"digits", r.digits},         {"tables", r.tables},          {"total_s", r.seconds},
          {"exec_s", r.split.exec},     {"trans_s", r.split.trans},    {"Mkeys_per_s", r.million_keys_per_second},
          {"exchanges", exchanges},     {"test_keys_found", r.found},  {"fault", r.fault},
          {"verified", r.verified()}};
}

void print(const bench_is_options& options, int ranks, const is::run_report& r) {
  fmt::print("IS class {} on {} ranks, digits of {} bits, tables in {}\n", options.run.letter, ranks, r.digits,
             r.tables == "shared" ? "shared memory" : "messages");
  fmt::print("  total {:9.4f} s for {} rankings, {:.0f} million keys/s\n", r.seconds, is::iterations,
             r.million_keys_per_second);
  fmt::print("  exec  {:9.4f} s\n  trans {:9.4f} s ({:.1f} %)\n", r.split.exec, r.split.trans,
             100 * r.split.trans / r.seconds);
  for (const auto& e : r.exchanges)
    fmt::print("  keys exchanged ({}) in {} rounds, {} messages of {} to {} B, skew {:.3f}\n", r.schedule, e.rounds,
               e.messages, e.smallest, e.largest, e.skew);
  fmt::print("  verification: {} of {} test keys, {}\n", r.found, is::tests * is::iterations,
             r.fault.empty() ? "all keys sorted" : r.fault);
}

void measure(MPI_Comm comm, const bench_is_options& options) {
  const is::run_report report = is::run(comm, options.run);
  if (comm::rank(comm) == 0) {
    if (options.json != "-") print(options, comm::size(comm), report);
    write_json(options.json, in_json(options, comm::size(comm), report));
  }
  if (!report.verified()) throw data_error("the ranks of the keys are wrong; please report this fault of osteon");
}

int bench_is(const bench_is_options& options, const std::vector<std::string>& arguments) {
  if (!under_launcher() && options.ranks > 1) return start_ranks(options.ranks, 1, arguments);
  return on_all_ranks([&](MPI_Comm comm) { measure(comm, options); });
}

}  // namespace

void add_bench_is(registry& commands) {
  const auto o = std::make_shared<bench_is_options>();
  command c = commands.add("bench", "is", "Run the integer sort of the NAS Parallel Benchmarks",
                           [o, arguments = commands.arguments()] { return bench_is(*o, arguments); });
  c.add_option("--class", o->run.letter, "Size: S, W, A, B, C or D (2^16 to 2^31 keys)").show_default();
  c.add_option("-n,--ranks", o->ranks, "MPI processes to start (default: 1)").positive();
  c.add_option("--digits", o->run.digits,
               "Bits of the digits, lowest first; all but the last move the keys. 10,9 is Itakura et al.'s split of class A "
               "(default: all bits at once, which moves no keys)")
      .delimiter(',');
  c.add_option("--tables", o->run.tables, "Summation of counts over ranks: auto, shared or messages").show_default();
  c.add_option("--schedule", o->run.schedule,
               "Exchange of keys: auto, shared, ring, shift:4x4x8, xor, pairwise, bruck or hierarchical:RANKS")
      .show_default();
  add_json(c, o->json);
  c.footer(
      "Ten rankings are timed, then every key is checked.\n\nExamples:\n  osteon bench is --class A -n 4\n"
      "  osteon bench is --class A -n 4 --digits 10,9");
}

}  // namespace osteon::studies
