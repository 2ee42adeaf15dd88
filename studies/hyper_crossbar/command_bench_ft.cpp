#include <fmt/format.h>
#include <omp.h>

#include <unistd.h>
#include <app/common_options.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <studies/hyper_crossbar/commands.hpp>
#include <studies/hyper_crossbar/ft.hpp>

namespace osteon::studies {

using namespace app;

namespace {

using json = nlohmann::ordered_json;

const std::map<std::string, fourier_method> methods{{"auto", fourier_method::automatic},
                                                    {"shared", fourier_method::shared},
                                                    {"transposition", fourier_method::transposition},
                                                    {"butterfly", fourier_method::butterfly}};

struct bench_ft_options {
  std::string problem = "S", method = "auto", fold, schedule = "ring", json;
  std::vector<int> ranks{1};
  int threads = 1, transforms = 0;
};

fourier_options transform_of(const bench_ft_options& options) {
  fourier_options result{methods.at(options.method), {}, options.schedule};
  if (options.fold.empty()) return result;
  char behind = 0;
  if (std::sscanf(options.fold.c_str(), "%dx%d%c", &result.folding.rows, &result.folding.columns, &behind) != 2 ||
      result.folding.rows < 1 || result.folding.columns < 1)
    throw usage_error(fmt::format("--fold {}: must be two numbers of ranks, such as 2x2", options.fold));
  return result;
}

std::string name_of(fourier_method method) {
  for (const auto& [name, value] : methods)
    if (value == method) return name;
  return {};
}

json row_of(const ft_class& problem, int ranks, const ft_report& report) {
  auto sums = json::array();
  for (const auto& sum : report.checksums) sums.push_back({sum.real(), sum.imag()});
  const auto& account = report.account;
  return {{"class", std::string(1, problem.name)},
          {"ranks", ranks},
          {"threads", omp_get_max_threads()},
          {"method", name_of(report.options.method)},
          {"fold", {report.options.folding.rows, report.options.folding.columns}},
          {"seconds", report.seconds},
          {"exec_s", report.exec},
          {"trans_s", report.trans},
          {"transform_s", report.transform},
          {"cpu_s", report.cpu},
          {"mops", ft_mops(problem, report.seconds)},
          {"schedule", report.options.schedule},
          {"exchanges", account.exchanges},
          {"messages", account.messages},
          {"bytes", account.bytes},
          {"checksums", sums},
          {"error", report.error},
          {"verified", report.verified}};
}

void print(const ft_class& problem, const json& row) {
  const index3 shape = problem.shape;
  fmt::print("FT class {}: {} x {} x {} points (x, y, z), {} iterations; {} ranks, {} threads each, {}", problem.name,
             shape.x, shape.y, shape.z, problem.checksums.size(), row["ranks"].get<int>(), row["threads"].get<int>(),
             row["method"].get<std::string>());
  if (row["fold"][0] != 0) fmt::print(" {} x {}", row["fold"][0].get<int>(), row["fold"][1].get<int>());
  fmt::print("\n");
  for (std::size_t i = 0; i < row["checksums"].size(); ++i)
    fmt::print("  iteration {:2}  checksum {:.12e} {:.12e}\n", i + 1, row["checksums"][i][0].get<double>(),
               row["checksums"][i][1].get<double>());
  fmt::print("  total {:.4f} s = exec {:.4f} + trans {:.4f}; {:.0f} Mop/s; {:.2f} CPU s; best transform {:.1f} ms\n",
             row["seconds"].get<double>(), row["exec_s"].get<double>(), row["trans_s"].get<double>(),
             row["mops"].get<double>(), row["cpu_s"].get<double>(), 1e3 * row["transform_s"].get<double>());
  if (const auto exchanges = row["exchanges"].get<std::int64_t>(); exchanges > 0) {
    const auto messages = row["messages"].get<std::int64_t>(), bytes = row["bytes"].get<std::int64_t>();
    fmt::print("  {} exchanges, each of {} messages per rank\n", exchanges, messages / exchanges);
    if (messages > 0) fmt::print(" of {} bytes", bytes / messages);
    fmt::print("\n");
  }
  fmt::print("  verified: the checksums differ from NPB's by {:.1e} at most\n", row["error"].get<double>());
}

void run_as_rank(MPI_Comm comm, const bench_ft_options& options) {
  const auto& problem = ft_class_named(options.problem);
  const ft_report report = run_ft(comm, problem, transform_of(options), options.transforms);
  if (!report.verified)
    throw data_error(
        fmt::format("FT class {} does not verify: its checksums differ from NPB's by {:.1e}; the limit is 1e-12",
                    problem.name, report.error));
  if (comm::rank(comm) != 0) return;
  const json row = row_of(problem, comm::size(comm), report);
  if (options.json != "-") print(problem, row);
  write_json(options.json, {{"schema", "osteon.bench/1"}, {"rows", json::array({row})}});
}

// Run with several numbers of ranks, and print one table of all runs.
int compare(const bench_ft_options& options) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("osteon-ft-{}.json", ::getpid());
  auto rows = json::array();
  for (const int ranks : options.ranks) {
    std::vector<std::string> arguments{"bench",    "ft",           "--class",      options.problem,
                                       "--method", options.method, "--transforms", std::to_string(options.transforms),
                                       "--json",   file.string(),  "--schedule",   options.schedule};
    if (!options.fold.empty()) arguments.insert(arguments.end(), {"--fold", options.fold});
    if (const int code = start_ranks(ranks, options.threads, arguments, answer_by::parent); code != 0) return code;
    rows.push_back(json::parse(std::ifstream(file))["rows"][0]);
  }
  std::filesystem::remove(file);
  if (options.json != "-" && rows.size() > 1) {
    fmt::print("\n{:>6} {:>10} {:>10} {:>10} {:>8}\n", "ranks", "exec s", "trans s", "total s", "speed-up");
    for (const auto& row : rows)
      fmt::print("{:>6} {:>10.4f} {:>10.4f} {:>10.4f} {:>8.2f}\n", row["ranks"].get<int>(), row["exec_s"].get<double>(),
                 row["trans_s"].get<double>(), row["seconds"].get<double>(),
                 rows[0]["seconds"].get<double>() / row["seconds"].get<double>());
  }
  write_json(options.json, {{"schema", "osteon.bench/1"}, {"rows", rows}});
  return 0;
}

int bench_ft(const bench_ft_options& options) {
  ft_class_named(options.problem);
  transform_of(options);
  if (!under_launcher()) return compare(options);
  return on_all_ranks([&](MPI_Comm comm) { run_as_rank(comm, options); });
}

}  // namespace

void add_bench_ft(registry& commands) {
  const auto o = std::make_shared<bench_ft_options>();
  command c =
      commands.add("bench", "ft", "Run NPB FT: Fourier transforms in three dimensions", [o] { return bench_ft(*o); });
  c.add_option("--class", o->problem, "Size of the problem: S, W, A, B or C").show_default();
  c.add_option("-n,--ranks", o->ranks, "MPI processes to start; several numbers, such as 1,2,4, print a table with speed-up")
      .delimiter(',')
      .positive()
      .show_default();
  c.add_option("-t,--threads", o->threads, "OpenMP threads of each process").positive().show_default();
  c.add_option("--method", o->method,
               "transposition (blocks by messages), shared (a host's ranks in shared memory), butterfly (the fixed method), "
               "or auto: shared on one host, else transposition")
      .one_of({"auto", "shared", "transposition", "butterfly"})
      .show_default();
  c.add_option("--fold", o->fold, "Virtual plane of ranks of a transposition, such as 2x2 (default: 1xRANKS if that fits)");
  c.add_option("--schedule", o->schedule,
               "Exchange of a transposition's blocks in a row or column of the plane: ring, shift:4x4, xor, pairwise, "
               "bruck, hierarchical:RANKS or shared")
      .show_default();
  c.add_option("--transforms", o->transforms, "Number of additional transforms; the best of all is reported").non_negative();
  add_json(c, o->json);
  c.footer(
      "Examples:\n  osteon bench ft --class A -n 1,2,4\n  mpirun -np 4 osteon bench ft --class B --method transposition "
      "--fold 2x2");
}

}  // namespace osteon::studies
