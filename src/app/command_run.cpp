#include <fmt/format.h>
#include <mpi.h>

#include <omp.h>
#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/json_output.hpp>
#include <app/launcher.hpp>
#include <app/mpi_session.hpp>
#include <app/stop_signal.hpp>
#include <app/summary_table.hpp>
#include <app/terminal.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/io/model_file.hpp>
#include <osteon/job/compute.hpp>
#include <osteon/job/directory_lock.hpp>
#include <osteon/job/external.hpp>
#include <osteon/job/import.hpp>
#include <osteon/job/io_options.hpp>
#include <osteon/job/place_ranks.hpp>
#include <osteon/job/rank_graph.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::app {

namespace {

struct run_options {
  std::string job;
  std::optional<int> ranks, threads;
  std::optional<std::string> output, checkpoint, io;
  std::vector<std::string> io_hints;
  bool place = true;
  std::optional<std::string> bind;
  bool resume = false;
  std::string json;  ///< file for summary.json's content, `-` for standard output
  bool report = true;
  job::script_options script;
};

job::spec read_job(const run_options& options) {
  std::vector<problem> problems;
  job::spec spec = job::read_job(options.job, options.script, problems);
  if (!problems.empty()) throw usage_error(job::join(problems));
  if (options.io) spec.io.mode = *options.io;
  for (const std::string& hint : options.io_hints) {
    if (hint.find('=') == std::string::npos || hint.front() == '=' || hint.back() == '=')
      throw usage_error(fmt::format("--io-hint '{}' must have the form key=value", hint));
    spec.io.hints.push_back(hint);
  }
  if (options.output) spec.output_directory = *options.output;
  if (options.ranks) spec.run.ranks = *options.ranks;
  if (options.threads) spec.run.threads = *options.threads;
  if (!options.place) spec.run.place = false;
  if (options.bind) spec.run.bind = *options.bind;
  if (options.checkpoint) spec.checkpoint.directory = *options.checkpoint;
  return spec;
}

// As they were given, for the ranks and for the manifest.
std::vector<std::string> words_of(const job::script_options& options) {
  std::vector<std::string> words;
  if (options.units) words.insert(words.end(), {"--units", *options.units});
  if (options.index_base) words.insert(words.end(), {"--index-base", std::to_string(*options.index_base)});
  if (options.serial_text) words.insert(words.end(), {"--io", "text-serial"});
  return words;
}

std::string command_line(const run_options& options) {
  std::string text = "osteon run " + options.job;
  if (options.ranks) text += fmt::format(" --ranks {}", *options.ranks);
  if (options.threads) text += fmt::format(" --threads {}", *options.threads);
  if (options.output) text += " --output " + *options.output;
  if (options.io) text += " --io " + *options.io;
  for (const std::string& hint : options.io_hints) text += " --io-hint " + hint;
  if (!options.place) text += " --no-place";
  if (options.bind) text += " --bind " + *options.bind;
  if (options.resume) text += " --resume";
  for (const std::string& word : words_of(options.script)) text += " " + word;
  return text;
}

// Runs when the ranks are done: what a person or a script wants to see. Never collective.
void finish(const run_options& options, const job::spec& spec) {
  const job::output_paths paths(spec);
  std::ifstream file(paths.summary);
  const auto summary = nlohmann::ordered_json::parse(file, nullptr, false);
  if (summary.is_discarded()) throw machine_error(fmt::format("'{}' was written but cannot be read back", paths.summary));
  std::string report_path;
  if (options.report) {
    const auto result = job::run_program({job::python_interpreter(), "-m", "osteon.report", paths.directory});
    if (result.exit_code == 0)
      report_path = paths.report;
    else  // The numbers are safe on disk; a missing plotting library must not turn them into a failure.
      fmt::print(stderr, "  warning: no report: {}\n", result.err.empty() ? "the report program failed" : result.err);
  }
  write_json(options.json, summary);
  if (options.json != "-") fmt::print("{}", summary_table(summary, report_path));
}

job::placed_ranks place(MPI_Comm comm, const job::spec& spec, sink& log) {
  const auto graph = [&] {
    voxel::model_header header;
    if (!spec.script) header = io::read_model_header(comm, job::output_paths(spec).model, job::access_of(spec));
    placement::graph ranks;
    comm::together(comm, [&] {
      const index3 shape = spec.script ? spec.script->text->shape() : header.shape;
      ranks = job::rank_graph(spec, shape, header.active_per_plane, comm::size(comm));
    });
    return ranks;
  };
  return job::place_ranks(comm, spec, graph, log);
}

int compute_as_rank(const run_options& options) {
  std::optional<job::spec> spec;
  bool speaks = false;  // the first rank
  const int code = on_all_ranks([&](MPI_Comm given) {
    note_stop_signals();
    speaks = comm::rank(given) == 0;
    terminal_sink shown(is_interactive());
    const auto log_of_first = [&]() -> sink& { return speaks ? static_cast<sink&>(shown) : quiet(); };
    const char* started = std::getenv("OSTEON_STARTED");
    comm::together(given, [&] { spec = read_job(options); });
    std::optional<job::directory_lock> lock;
    comm::together(given, [&] {
      if (speaks && !std::getenv("OSTEON_PARENT")) lock.emplace(job::output_paths(*spec).directory);
      if (options.threads || !std::getenv("OMP_NUM_THREADS")) omp_set_num_threads(static_cast<int>(spec->run.threads));
      // The parent that started the ranks has imported and said so; started by a launcher, the first rank imports.
      if (speaks && !spec->script)  // the ranks read a script's model themselves
        job::import_model(*spec, job::output_paths(*spec).model, std::getenv("OSTEON_PARENT") ? quiet() : log_of_first());
    });
    const job::placed_ranks placed = place(given, *spec, log_of_first());
    speaks = comm::rank(placed.comm()) == 0;  // perhaps another process than before
    job::compute(placed.comm(), *spec, command_line(options), started ? started : job::utc_now(), log_of_first(),
                 {.resume = options.resume, .is_to_stop = stop_was_requested});
  });
  if (code == 0 && speaks && !std::getenv("OSTEON_PARENT")) finish(options, *spec);
  return code;
}

int run(const run_options& options) {
  if (under_launcher()) return compute_as_rank(options);

  const job::spec spec = read_job(options);
  terminal_sink log(is_interactive());
  setenv("OSTEON_STARTED", job::utc_now().c_str(), 1);
  const job::directory_lock lock(job::output_paths(spec).directory);
  job::find_filters(spec);
  const index3 shape =
      spec.script ? spec.script->text->shape() : job::import_model(spec, job::output_paths(spec).model, log).shape;
  const auto cores = static_cast<std::int64_t>(job::usable_cores());
  const std::int64_t ranks =
      spec.run.ranks > 0 ? spec.run.ranks : std::clamp<std::int64_t>(cores / spec.run.threads, 1, shape.z);

  if (job::takes_bricks(spec, shape.z, ranks)) {
    if (ranks > shape.volume()) throw usage_error(grid::too_many_ranks(ranks, shape));
  } else if (ranks > shape.z) {
    throw usage_error(grid::too_many_ranks(ranks, shape.z));
  }

  std::vector<std::string> arguments{own_path(),
                                     "run",
                                     options.job,
                                     "--ranks",
                                     std::to_string(ranks),
                                     "--threads",
                                     std::to_string(spec.run.threads),
                                     "--output",
                                     spec.output_directory};
  if (options.io) arguments.insert(arguments.end(), {"--io", *options.io});
  for (const std::string& hint : options.io_hints) arguments.insert(arguments.end(), {"--io-hint", hint});
  if (!options.place) arguments.push_back("--no-place");
  if (options.bind) arguments.insert(arguments.end(), {"--bind", *options.bind});
  if (options.resume) arguments.push_back("--resume");
  if (options.checkpoint) arguments.insert(arguments.end(), {"--checkpoint", *options.checkpoint});
  for (std::string& word : words_of(options.script)) arguments.push_back(std::move(word));
  setenv("OSTEON_PARENT", "1", 1);
  const int code = start_ranks(static_cast<int>(ranks), static_cast<int>(spec.run.threads), arguments);
  if (code == 0) finish(options, spec);
  if (code == exit_code(error_kind::interrupted)) return code;
  if (code != 0 && (code < exit_code(error_kind::usage) || code > exit_code(error_kind::machine)))
    throw machine_error(
        fmt::format("the ranks were ended with exit code {}{}", code,
                    code == 137 ? ": killed, probably for memory; `osteon estimate` says what a job takes" : ""));
  return code;
}

int resume(const std::string& directory, run_options options) {
  const job::resumable found = job::find_resumable(directory);
  options.job = found.job_file;
  options.output = found.output_directory;
  options.checkpoint = found.directory;
  options.resume = true;
  return run(options);
}

}  // namespace

void add_run(registry& commands) {
  const auto o = std::make_shared<run_options>();
  command c = commands.add("run", "Run a job: import, solve, write, picture, report", [o] {
    if (o->io == "text-serial") {
      o->script.serial_text = true;
      o->io.reset();
    }
    return run(*o);
  });
  add_job(c, o->job);
  c.add_option("-n,--ranks", o->ranks, "MPI processes to start (default: run.ranks of the job, else all cores)").positive();
  c.add_option("-t,--threads", o->threads, "OpenMP threads of each process (default: run.threads of the job)").positive();
  c.add_option("-o,--output", o->output, "Output directory (default: output.directory of the job, else <name>.out)");
  c.add_option("--io", o->io,
               "Which ranks touch files: auto, serial, aggregated or parallel (default: io.mode); text-serial: rank 0 "
               "reads a VOX-FE model and scatters it, and ranks write text one after the other")
      .one_of({"auto", "serial", "aggregated", "parallel", "text-serial"});
  add_repeatable(c, "--io-hint", o->io_hints, "A hint for MPI-IO, key=value; may be repeated (adds to io.hints)");
  c.add_flag("!--no-place", o->place, "Leave ranks on several hosts in the order they came (run.place)");
  c.add_option("--bind", o->bind,
               "What a rank is bound to: auto, none, core, l3, numa, socket, measured (default: run.bind)")
      .one_of({"auto", "none", "core", "l3", "numa", "socket", "measured"});
  c.add_flag("!--no-report", o->report, "Do not make report.html");
  c.add_flag("--resume", o->resume, "Continue from the job's checkpoint, if there is one");
  c.add_option("--checkpoint", o->checkpoint,
               "Folder of the checkpoints (default: checkpoint.directory of the job, else checkpoint in the output)");
  add_script(c, o->script);
  add_json(c, o->json);
  c.footer(std::string("Examples:\n  osteon run examples/bone.toml\n  osteon run -n 4 -t 2 bone.toml -o /scratch/bone.out\n"
                       "  osteon run script.txt --units mm\n"
                       "  mpirun -np 64 osteon run bone.toml\n\n") +
           exit_codes);
}

void add_resume(registry& commands) {
  struct options {
    std::string directory;
    run_options run;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("resume", "Continue a job that was ended, from its checkpoint",
                           [o] { return resume(o->directory, o->run); });
  c.add_option("checkpoint", o->directory, "Folder of the checkpoint, or the job's output directory").required();
  c.add_option("-n,--ranks", o->run.ranks, "MPI processes to start; any number continues").positive();
  c.add_option("-t,--threads", o->run.threads, "OpenMP threads of each process").positive();
  add_script(c, o->run.script);
  c.add_flag("!--no-report", o->run.report, "Do not make report.html");
  add_json(c, o->run.json);
  c.footer(std::string("Example:\n  osteon resume bone.out\n\n") + exit_codes);
}

}  // namespace osteon::app
