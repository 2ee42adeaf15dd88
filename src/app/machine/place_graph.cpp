#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <app/machine/place_graph.hpp>
#include <app/named_axes.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/terminal.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/placement/rank_graph.hpp>
#include <osteon/job/plans/ranks_by_plans.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/placement/graph/graph.hpp>

extern char** environ;

namespace osteon::app {

namespace {

placement::cartesian grid_of(const graph_options& o) {
  placement::cartesian grid;
  spelling_hints hints;
  const auto blocks = parse_lengths("--grid", o.grid, hints);
  for (std::size_t d = 0; d < 3; ++d) grid.blocks[d] = static_cast<int>(blocks[d]);
  grid.cells = parse_lengths("--cells", o.cells, hints);
  if (!under_launcher())  // the parent of the ranks of --verify prints the message
    for (const std::string& hint : hints) print_message(fmt::format("  warning: {}\n", hint));
  grid.bytes_per_cell = o.bytes_per_cell;
  for (const char axis : o.periodic) {
    if (axis < 'x' || axis > 'z') throw usage_error(fmt::format("--periodic {}: must be letters of x, y and z", o.periodic));
    grid.periodic[static_cast<std::size_t>('z' - axis)] = true;
  }
  return grid;
}

placed_graph graph_of_job(const graph_options& o) {
  if (o.ranks < 1) throw usage_error("--job requires the number of ranks: --ranks N");
  if (under_launcher(2)) throw usage_error("--job reads the model in one process; start it without mpirun");
  terminal_sink log(is_interactive());
  placed_graph result;
  std::exception_ptr failed;  // main() prints the error once
  std::function<job::ranks_to_place(MPI_Comm)> make;
  if (o.job.ends_with(".nc")) {
    make = [&](MPI_Comm comm) {
      return job::ranks_to_place{job::subdomain_graph(comm, o.job, o.ranks, false, 3, log),
                                 "of the nodes that bricks share"};
    };
  } else {
    const job::spec spec = job::read_job(o.job, {});
    job::warn_of_older_spellings(spec, log);
    make = [spec, &o, &log](MPI_Comm) { return job::ranks_to_place_of(spec, o.ranks, log); };
  }
  on_all_ranks([&](MPI_Comm comm) {
    try {
      job::ranks_to_place found = make(comm);
      result.graph = std::move(found.graph);
      result.description = fmt::format("{} on {} ranks, weights: {}", o.job, o.ranks, found.by);
    } catch (const error&) {
      failed = std::current_exception();
    }
  });
  if (failed) std::rethrow_exception(failed);
  return result;
}

std::string trace_library() {
  const std::filesystem::path here = std::filesystem::path(own_path()).parent_path();
  for (const auto& place : {here, here.parent_path() / "lib" / "osteon"})
    if (const auto file = place / "libosteon_trace.so"; std::filesystem::exists(file)) return file.string();
  throw machine_error(
      fmt::format("libosteon_trace.so not found in the folder of {}; build the target osteon_trace", own_path()));
}

// Run the program with the trace library preloaded and read its trace.
placed_graph graph_of_trace(const graph_options& o) {
  const std::string file = o.file.empty() ? "osteon_trace.json" : o.file;
  std::filesystem::remove(file);
  const char* preloaded = std::getenv("LD_PRELOAD");
  setenv("LD_PRELOAD", (trace_library() + (preloaded && *preloaded ? ":" + std::string(preloaded) : "")).c_str(), 1);
  setenv("OSTEON_TRACE", std::filesystem::absolute(file).c_str(), 1);
  std::vector<std::string> arguments = o.program;
  std::vector<char*> argv;
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  if (const int failed = posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ); failed != 0)
    throw machine_error(fmt::format("cannot start '{}': {}", arguments.front(), std::strerror(failed)));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  unsetenv("LD_PRELOAD");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw machine_error(fmt::format("'{}' failed; its trace is ignored", fmt::join(o.program, " ")));
  if (!std::filesystem::exists(file))
    throw machine_error(
        fmt::format("'{}' wrote no trace: it must be an MPI program that calls MPI_Finalize, with the MPI of this build; "
                    "for ranks on other hosts export LD_PRELOAD and OSTEON_TRACE (mpirun -x)",
                    fmt::join(o.program, " ")));
  return {placement::read_graph(file), {}, fmt::format("trace of {}, in {}", o.program.front(), file)};
}

}  // namespace

void add_graph_options(command c, graph_options& o) {
  c.add_option("--grid", o.grid, "Blocks of a Cartesian grid, x fastest, such as z=8,y=8,x=8");
  c.add_option("--cells", o.cells, "Cells of a block").show_default();
  c.add_option("--bytes-per-cell", o.bytes_per_cell, "Bytes per exchanged face cell")
      .between(std::int64_t{1}, std::int64_t{1} << 20)
      .show_default();
  c.add_option("--periodic", o.periodic, "Periodic axes, such as xy");
  c.add_option("--graph", o.file, "Graph of subdomains (METIS text or JSON); with --trace: file to write");
  c.add_option("--job", o.job, "Job file or model (.nc), decomposed for --ranks ranks");
  c.add_option("-n,--ranks", o.ranks, "Number of ranks for --job").between(1, 1 << 22);
  c.add_flag("--trace", o.trace, "Run the program after -- and count the messages of its ranks");
  c.add_option("program", o.program, "With --trace: mpirun ... program ...");
}

placed_graph make_graph(const graph_options& o) {
  const int sources = !o.grid.empty() + !o.job.empty() + (o.trace || !o.file.empty());
  if (sources != 1 || o.trace == o.program.empty())
    throw usage_error(
        "pass exactly one source: --grid z=8,y=8,x=8 --cells z=256,y=256,x=1024, --graph FILE, --job FILE --ranks N, or "
        "--trace -- mpirun -n 8 PROGRAM");
  if (!o.job.empty()) return graph_of_job(o);
  if (o.trace) return graph_of_trace(o);
  if (!o.file.empty()) return {placement::read_graph(o.file), {}, "graph " + o.file};
  const placement::cartesian grid = grid_of(o);
  const auto& blocks = grid.blocks;
  return {placement::graph_of(grid), grid,
          fmt::format("grid of {} blocks of {} cells", with_axes({blocks[0], blocks[1], blocks[2]}), with_axes(grid.cells))};
}

}  // namespace osteon::app
