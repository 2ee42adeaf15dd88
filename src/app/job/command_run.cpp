#include <fmt/format.h>
#include <mpi.h>

#include <omp.h>
#include <algorithm>
#include <app/commands.hpp>
#include <app/common_options.hpp>
#include <app/job/summary_table.hpp>
#include <app/process/front_link.hpp>
#include <app/process/json_output.hpp>
#include <app/process/launcher.hpp>
#include <app/process/mpi_session.hpp>
#include <app/process/parent_process.hpp>
#include <app/process/progress_file.hpp>
#include <app/process/stop_signal.hpp>
#include <app/process/terminal.hpp>
#include <cctype>
#include <common/printable.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/container.hpp>
#include <osteon/job/import/model_key.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <osteon/job/pipeline/compute.hpp>
#include <osteon/job/pipeline/directory_lock.hpp>
#include <osteon/job/pipeline/finished_results.hpp>
#include <osteon/job/pipeline/same_job.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/placement/place_ranks.hpp>
#include <osteon/job/plans/ranks_by_plans.hpp>
#include <osteon/job/shape/morphometry.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/spec/doubts.hpp>
#include <osteon/job/subprocess.hpp>
#include <osteon/job/variants/connectivity_effect.hpp>
#include <osteon/job/variants/uncertainty.hpp>
#include <osteon/job/warning_record.hpp>
#include <osteon/physics/heat/entry.hpp>
#include <span>
#include <string_view>

namespace osteon::app {

namespace {

struct run_options {
  std::string job;
  std::optional<int> ranks, threads;
  std::optional<std::string> output, checkpoint, io;
  std::vector<std::string> io_hints, set;
  bool place = true;
  std::optional<std::string> bind;
  bool resume = false, unless_done = false, force = false, trace_messages = false, quiet = false, verbose = false;
  std::string json;      ///< file for summary.json's content, `-` for standard output
  std::string progress;  ///< file for what the job tells, as lines of JSON
  bool report = true;
  job::reader_options script;
  job::image_digests digests;  ///< no option: they come from the parent, or from the first rank
};

// Call `v(names, field, description, [limits])` for each option of `run`: the command line, the words for the ranks and the
// command in the manifest follow from it, so that none of them can forget one.
template <class Visitor>
void describe(Visitor&& v, run_options& o) {
  const auto positive = [](option of) { of.positive(); };
  v("-n,--ranks", o.ranks, "MPI processes to start (default: run.ranks of the job, else all cores)", positive);
  v("-t,--threads", o.threads, "OpenMP threads of each process (default: run.threads of the job)", positive);
  describe_set(v, o.set);
  v("-o,--output", o.output, "Output directory (default: output.directory of the job, else <name>.out)");
  v("--io", o.io,
    "Which ranks touch files: auto, serial, aggregated or parallel (default: io.mode); text-serial: rank 0 "
    "reads a VOX-FE model and scatters it, and ranks write text one after the other",
    [](option of) { of.one_of({"auto", "serial", "aggregated", "parallel", "text-serial"}); });
  v("--io-hint", o.io_hints, "A hint for MPI-IO, key=value; may be repeated (adds to io.hints)",
    [](option of) { of.repeatable(); });
  v("!--no-place", o.place, "Leave ranks on several hosts in the order they came (run.place)");
  v("--bind", o.bind, "What a rank is bound to: auto, none, core, l3, numa, socket, measured (default: run.bind)",
    [](option of) { of.one_of({"auto", "none", "core", "l3", "numa", "socket", "measured"}); });
  v("!--no-report", o.report, "Do not make report.html");
  v("--force", o.force, "Replace earlier results in the output directory instead of keeping them as <output>.1");
  v("--trace-messages", o.trace_messages,
    "Count messages, bytes and time waiting by plan: `messages` in summary.json, and in the report");
  v("--quiet", o.quiet, "Say nothing but warnings and errors; the answers are in summary.json and report.html");
  v("--progress", o.progress,
    "Also write what the job tells to this file, one JSON object a line: stages, iterations, residuals, time left, the end");
  v("--verbose", o.verbose, "Say each stage and each report of progress as a line with the time since the start");
  v("--resume", o.resume, "Continue from the job's checkpoint, if there is one");
  v("--unless-done", o.unless_done,
    "Compute nothing where the output directory holds finished results of this very job: same keys, images and version");
  v("--checkpoint", o.checkpoint,
    "Folder of the checkpoints (default: checkpoint.directory of the job, else checkpoint in the output)");
  describe_script(v, o.script);
  v("--json", o.json, json_description);
}

// The words that give the options the values that they have; nothing for those that say nothing.
class writer_of_words {
 public:
  template <class Value, class... More>
  void operator()(const std::string& names, const Value& value, More&&...) {
    put(names.substr(names.find("--")), names.front() == '!', value);
  }
  std::vector<std::string> words;

 private:
  void put(const std::string& name, bool turns_off, bool value) {
    if (value != turns_off) words.push_back(name);
  }
  void put(const std::string& name, bool, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {name, value});
  }
  void put(const std::string& name, bool, const std::optional<int>& value) {
    if (value) words.insert(words.end(), {name, std::to_string(*value)});
  }
  void put(const std::string& name, bool, const std::optional<std::string>& value) {
    if (value) words.insert(words.end(), {name, *value});
  }
  void put(const std::string& name, bool, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {name, value});
  }
};

std::vector<std::string> words_of(run_options options) {
  writer_of_words writer;
  describe(writer, options);
  return std::move(writer.words);
}

// As a shell takes it.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || c > 127 || std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string command_line(const run_options& options) {
  std::string text = "osteon run " + quoted(options.job);
  for (const std::string& word : words_of(options)) text += " " + quoted(word);
  return text;
}

loudness loudness_of(const run_options& options) {
  return options.quiet ? loudness::quiet : options.verbose ? loudness::all : loudness::usual;
}

job::spec read_job(const run_options& options) {
  if (options.quiet && options.verbose) throw usage_error("--quiet and --verbose exclude each other; leave one of them out");
  std::vector<problem> problems;
  job::reader_options script = options.script;
  script.serial_text = options.io == "text-serial";
  job::spec spec = job::read_job(options.job, script, problems, options.set);
  if (!problems.empty()) {
    // A parent reports the faults of the image with them; ranks would do so once each.
    const std::size_t of_job = problems.size();
    std::vector<problem> warnings;
    if (!under_launcher()) job::add_faults_of_image(spec, problems, warnings);
    for (std::size_t n = of_job; n < problems.size(); ++n) problems[n].where = options.job + ": " + problems[n].where;
    throw usage_error(job::join(problems));
  }
  spec.digests = options.digests;
  if (options.io && !script.serial_text) spec.io.mode = *options.io;
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

// Runs when the ranks are done: what a person or a script wants to see. Never collective.
void finish(const run_options& options, const job::spec& spec) {
  const job::output_paths paths(spec);
  std::ifstream file(paths.summary);
  const auto summary = nlohmann::ordered_json::parse(file, nullptr, false);
  if (summary.is_discarded()) throw machine_error(fmt::format("'{}' was written but cannot be read back", paths.summary));
  std::string report_path, fault;
  auto fault_kind = error_kind::machine;
  if (options.report) {
    const auto result = job::run_program(job::python_command({"-m", "osteon.report", paths.directory}), stop_was_requested);
    if (stop_was_requested())
      throw interrupted_error(
          fmt::format("stopped on request while making the report; results and picture are written: "
                      "osteon report '{}' makes it",
                      paths.directory));
    const bool is_damaged = result.exit_code == exit_code(error_kind::data);
    if (result.exit_code == 0) {
      report_path = paths.report;
    } else if (is_damaged || (result.exit_code == exit_code(error_kind::machine) && !job::lacks_package(result))) {
      fault = fmt::format("the results are written, the report is not: {}", result.err.substr(0, result.err.rfind('\n')));
      fault_kind = is_damaged ? error_kind::data : error_kind::machine;
    } else {  // The numbers are safe on disk; a missing plotting library must not turn them into a failure.
      say(fmt::format("  warning: no report: {}\n", result.err.empty() ? "the report program failed" : result.err));
    }
  }
  write_json(options.json, summary);
  if (options.json != "-" && !options.quiet) fmt::print("{}", printable(summary_table(summary, report_path)));
  if (!fault.empty()) throw_error(fault_kind, fault);
}

// Whether there is nothing to compute, and say so.
bool is_done(const run_options& options, const job::spec& spec, log_sink& log) {
  if (!options.unless_done || !job::has_finished_results(spec, stop_was_requested)) return false;
  log.note(fmt::format("'{}' holds the results of this job: nothing is computed", job::output_paths(spec).directory));
  return true;
}

// What a person or a script wants to see of a job that had been done before; a report is made if it lacks.
int finish_what_was_done(run_options options, const job::spec& spec) {
  if (std::filesystem::exists(job::output_paths(spec).report)) options.report = false;
  finish(options, spec);
  return 0;
}

job::placed_ranks place(MPI_Comm comm, const job::spec& spec, log_sink& log) {
  const auto graph = [&] {
    job::ranks_to_place found = job::ranks_to_place_of_run(comm, spec);
    return std::pair(std::move(found.graph), std::move(found.by));
  };
  return job::place_ranks(comm, spec, graph, physics::seconds_of_heat_iteration, log);
}

// Whether a job that ended so may leave nothing: one that was stopped keeps the model that it has made.
bool is_failure(int code) {
  return code != 0 && code != exit_code(error_kind::interrupted) && code != exit_code_of(error_kind::interrupted);
}

// Computes the job with the other connectivity, as its own command would. Collective.
void tell_effect(MPI_Comm comm, run_options options, const job::spec& spec, log_sink& log) {
  for (std::string& key : job::keys_of_other_connectivity(spec)) options.set.push_back(std::move(key));
  options.checkpoint.reset();
  options.report = false;
  job::spec other;
  comm::collectively(comm, [&] {
    other = read_job(options);
    options.output = other.output_directory =
        (std::filesystem::path(spec.output_directory) / fmt::format("connectivity_{}", other.segment.connectivity)).string();
  });
  options.json.clear();
  job::tell_effect_of_connectivity(comm, spec, other, command_line(options), job::utc_now(), log,
                                   {.resume = options.resume, .is_to_stop = stop_was_requested, .replace = true});
}

// Computes the job on the changed images of its [uncertainty], each as its own command would. Collective.
void tell_uncertainty(MPI_Comm comm, run_options options, const job::spec& spec, log_sink& log) {
  options.checkpoint.reset();
  options.report = false;
  options.json.clear();
  const bool resumes = options.resume;
  const auto make = [&](const std::vector<std::string>& keys, const std::string& folder) {
    run_options own = options;
    own.set.insert(own.set.end(), keys.begin(), keys.end());
    job::job_on_changed_image other{read_job(own), ""};
    own.output = other.job.output_directory = folder;
    other.command = command_line(own);
    return other;
  };
  job::tell_uncertainty(comm, spec, make, log, {.resume = resumes, .is_to_stop = stop_was_requested, .replace = true});
}

// The ranks that get a part of a model that is dealt out by planes and cannot be cut into bricks: as many as it has planes.
// The others have nothing to do, and wait. Collective; MPI_COMM_NULL on those.
MPI_Comm ranks_with_planes(MPI_Comm given, std::int64_t planes, log_sink& log) {
  const int ranks = comm::size(given);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(given, comm::rank(given) < planes ? 0 : MPI_UNDEFINED, 0, &made);
  log.note(fmt::format("the model has {} z planes: {} of the {} ranks have nothing to do", planes, ranks - planes, ranks));
  return made;
}

// The launcher has decided on the number of ranks.
void report_ranks(int ranks, const run_options& options, const job::spec& spec, log_sink& log) {
  if (options.ranks && *options.ranks != ranks) {
    log.warn(fmt::format("-n {} has no effect: the launcher has started {}, and those compute", *options.ranks,
                         ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks)));
  } else if (ranks == 1 && !options.ranks && job::usable_cores() >= 2 * spec.run.threads) {
    log.note(fmt::format("1 rank computes, as the launcher has started, on {} of {} cores; -n N starts N ranks",
                         spec.run.threads, job::usable_cores()));
  }
}

int compute_as_rank(run_options options) {
  std::optional<job::spec> spec;
  std::optional<job::directory_lock> lock;
  bool speaks = false;         // the first rank
  bool has_directory = false;  // one of the ranks holds it
  int was_done = 0;
  note_stop_signals();
  const bool has_parent = parent().has_value();
  if (has_parent) options.digests = {parent()->images, parent()->labels};
  const int code = on_all_ranks([&](MPI_Comm given) {
    speaks = comm::rank(given) == 0;
    terminal_sink terminal(is_interactive(), loudness_of(options));
    progress_file shown(options.progress, terminal);
    job::warning_record told(shown);
    const auto log_of_first = [&]() -> log_sink& { return speaks ? static_cast<log_sink&>(told) : null_log(); };
    comm::collectively(given, [&] { spec = read_job(options); });
    job::require_same_job(given, *spec);
    if (!has_parent) report_ranks(comm::size(given), options, *spec, log_of_first());
    if (!has_parent) job::warn_of_doubts(*spec, log_of_first());
    job::leave_together_if_asked(given, stop_was_requested, *spec, "starting the ranks");
    std::int64_t planes = 0;
    comm::collectively(given, [&] {
      if (speaks)
        lock.emplace(job::output_paths(*spec).directory,
                     has_parent ? job::directory_lock::part::of_ranks : job::directory_lock::part::both);
      if (speaks && !has_parent) begin_progress(options.progress, options.resume);
      if (speaks && !has_parent) spec->digests = job::digests_of(*spec, stop_was_requested);
      if (speaks && !has_parent) was_done = is_done(options, *spec, log_of_first());  // a parent has looked itself
    });
    has_directory = true;
    MPI_Bcast(&was_done, 1, MPI_INT, 0, given);
    if (was_done) return;
    options.digests.images = comm::broadcast(given, spec->digests.images);
    options.digests.labels = comm::broadcast(given, spec->digests.labels);
    spec->digests = options.digests;
    comm::collectively(given, [&] {
      if (options.threads || !std::getenv("OMP_NUM_THREADS")) omp_set_num_threads(static_cast<int>(spec->run.threads));
      // A parent has imported before it starts the ranks; started by a launcher, the first rank imports.
      if (speaks && !has_parent) planes = job::source_of(*spec).prepare(*spec, log_of_first(), stop_was_requested).z;
    });
    if (has_parent) planes = job::source_of(*spec).outline(given, *spec).shape.z;
    MPI_Bcast(&planes, 1, MPI_INT64_T, 0, given);
    job::leave_together_if_asked(given, stop_was_requested, *spec, "importing the image");
    const auto compute_on = [&](MPI_Comm with_planes) {
      const job::placed_ranks placed = place(with_planes, *spec, log_of_first());
      speaks = comm::rank(placed.comm()) == 0;  // perhaps another process than before
      job::compute(placed.comm(), *spec, command_line(options), start_time(), log_of_first(),
                   {.resume = options.resume,
                    .is_to_stop = stop_was_requested,
                    .trace_messages = options.trace_messages,
                    .replace = options.force});
      const std::size_t known = told.texts().size();  // to the summary
      if (spec->segment.compare_connectivity) tell_effect(placed.comm(), options, *spec, log_of_first());
      if (spec->measures_shape) job::tell_shape(placed.comm(), *spec, log_of_first());
      if (spec->uncertainty && spec->uncertainty->enabled) tell_uncertainty(placed.comm(), options, *spec, log_of_first());
      comm::collectively(placed.comm(), [&] {
        if (speaks) job::add_warnings(*spec, std::span(told.texts()).subspan(known));
      });
    };
    if (!spec->from || planes <= 0 || comm::size(given) <= planes) return compute_on(given);
    const auto with_planes = comm::communicator::take(ranks_with_planes(given, planes, log_of_first()));
    // An error of those that work ends those that wait, too.
    comm::collectively(given, [&] {
      if (with_planes.get() != MPI_COMM_NULL) compute_on(with_planes.get());
    });
  });
  if (code == 0 && was_done && speaks) finish_what_was_done(options, *spec);
  if (code == 0 && !was_done && speaks && !has_parent) finish(options, *spec);
  if (speaks && !has_parent && has_directory) end_progress(options.progress, code, "");
  if (code != 0 && lock && !has_parent) lock->remove_if_useless(is_failure(code));
  return code;
}

// The job of a process that starts its ranks, in a directory that it holds.
int run_held(const run_options& options, job::spec& spec, job::directory_lock& lock) {
  terminal_sink terminal(is_interactive(), loudness_of(options));
  progress_file log(options.progress, terminal);
  job::warn_of_doubts(spec, log);
  if (!lock.is_held())
    log.warn(fmt::format("the file system of '{}' has no locks: nothing keeps a second job out of this folder",
                         job::output_paths(spec).directory));
  spec.digests = job::digests_of(spec, stop_was_requested);
  if (is_done(options, spec, log)) return finish_what_was_done(options, spec);
  job::find_filters(spec);
  const index3 shape = job::source_of(spec).prepare(spec, log, stop_was_requested);
  std::int64_t ranks = spec.run.ranks > 0 ? spec.run.ranks : job::default_ranks(spec.run.threads, shape.z);
  if (const std::string limits = job::text_of_container_limits(); !limits.empty() && spec.run.ranks <= 0) log.note(limits);

  if (job::takes_bricks(spec, shape.z, ranks)) {
    if (ranks > shape.volume()) throw usage_error(grid::too_many_ranks(ranks, shape));
  } else if (ranks > shape.z && spec.from) {  // a script cannot be cut into bricks: more would have nothing to do
    log.note(fmt::format("the model has {} z planes: {} ranks are started, not {}", shape.z, shape.z, ranks));
    ranks = shape.z;
  } else if (ranks > shape.z) {
    throw usage_error(grid::too_many_ranks(ranks, shape.z));
  }

  run_options of_ranks = options;
  of_ranks.ranks = static_cast<int>(ranks);
  of_ranks.threads = static_cast<int>(spec.run.threads);
  of_ranks.output = spec.output_directory;
  std::vector<std::string> words{"run", options.job};
  for (std::string& word : words_of(of_ranks)) words.push_back(std::move(word));
  job::leave_if_asked(stop_was_requested, spec, "starting the ranks");
  lock.leave_to_ranks();
  const int code =
      start_ranks(static_cast<int>(ranks), static_cast<int>(spec.run.threads), words, answer_by::parent, spec.digests);
  if (code == 0) finish(options, spec);
  if (code == exit_code_of(error_kind::interrupted) || stop_urgency() > 1) return code;
  if (code != 0 && (code < exit_code(error_kind::usage) || code > exit_code(error_kind::machine))) {
    job::leave_if_asked(stop_was_requested, spec, "the ranks were being ended");  // by others, who were not as patient
    throw machine_error(
        fmt::format("the ranks were ended with exit code {}{}", code,
                    code == 137 ? ": killed, probably for memory; `osteon estimate` says what a job takes" : ""));
  }
  return code;
}

int run(run_options options) {
  if (!options.progress.empty()) options.progress = std::filesystem::absolute(options.progress).string();
  if (under_launcher(options.ranks.value_or(1))) return compute_as_rank(options);
  refuse_copies(1);
  note_stop_signals();
  follow_lifeline();

  const auto told = [&](const error& e) { end_progress(options.progress, exit_code_of(e.kind()), e.what()); };
  job::spec spec;
  try {
    spec = read_job(options);
  } catch (const error& e) {
    begin_progress(options.progress, options.resume);
    told(e);
    throw;
  }
  // Refused, as another run has the directory: the file of progress may be of that run, and stays as it is.
  job::directory_lock lock(job::output_paths(spec).directory);
  try {
    begin_progress(options.progress, options.resume);
    const int code = run_held(options, spec, lock);
    if (code != 0) lock.remove_if_useless(is_failure(code));
    end_progress(options.progress, code, "");
    return code;
  } catch (const error& e) {
    lock.remove_if_useless(is_failure(exit_code(e.kind())));
    told(e);
    throw;
  }
}

int resume(const std::string& directory, run_options options) {
  const job::resumable found = job::find_resumable(directory);
  options.job = found.job_file;
  options.output = found.output_directory;
  options.checkpoint = found.directory;
  options.set = found.changes;
  options.resume = true;
  return run(options);
}

}  // namespace

void add_run(registry& commands) {
  const auto o = std::make_shared<run_options>();
  command c = commands.add("run", "Run a job: import, solve, write, picture, report", [o] { return run(*o); });
  add_job(c, o->job);
  describe(option_adder{c}, *o);
  c.footer(std::string("Examples:\n  osteon run examples/bone.toml\n  osteon run -n 4 -t 2 bone.toml -o /scratch/bone.out\n"
                       "  osteon run script.txt --units mm\n"
                       "  osteon run bone.toml --set segment.threshold=300 -o bone_300.out\n"
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
  c.add_option("--progress", o->run.progress, "Also append what the job tells to this file, one JSON object a line");
  add_json(c, o->run.json);
  c.footer(std::string("Example:\n  osteon resume bone.out\n\n") + exit_codes);
}

}  // namespace osteon::app
