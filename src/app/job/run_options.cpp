#include <fmt/format.h>

#include <algorithm>
#include <app/job/run_options.hpp>
#include <app/process/launcher.hpp>
#include <cctype>
#include <common/shell_quoted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/job/adapters/read_job.hpp>
#include <osteon/job/pipeline/before_run.hpp>
#include <string_view>
#include <utility>

namespace osteon::app {

namespace {

// Call `v(names, field, description, [limits])` for each option of `run`. The command line, the arguments of the ranks and
// the command in the manifest are derived from this list, and are therefore complete.
template <class Visitor>
void describe(Visitor&& v, run_options& o) {
  const auto positive = [](option of) { of.positive(); };
  v("-n,--ranks", o.ranks, "MPI processes (default: run.ranks, else all cores)", positive);
  v("-t,--threads", o.threads, "OpenMP threads per process (default: run.threads)", positive);
  describe_set(v, o.set);
  v("-o,--output", o.output, "Output directory (default: output.directory)");
  v("--io", o.io, "File access mode (default: io.mode)",
    [](option of) { of.one_of({"auto", "serial", "aggregated", "parallel", "text-serial"}); });
  v("--io-hint", o.io_hints, "MPI-IO hint KEY=VALUE; may be repeated", [](option of) { of.repeatable(); });
  v("!--no-place", o.place, "Do not reorder ranks across hosts (run.place)");
  v("--bind", o.bind, "Processor binding of each rank (default: run.bind)",
    [](option of) { of.one_of({"auto", "none", "core", "l3", "numa", "socket", "measured"}); });
  v("!--no-report", o.report, "Do not write report.html");
  v("--force", o.force, "Replace earlier results instead of renaming them");
  v("--trace-messages", o.trace_messages, "Count messages, bytes and waiting time by plan");
  v("--quiet", o.quiet, "Print only warnings and errors");
  v("--progress", o.progress, "Write progress events to this file as JSON lines");
  v("--verbose", o.verbose, "Print stages and progress with elapsed time");
  v("--resume", o.resume, "Continue from the checkpoint, if it exists");
  v("--requeue", o.requeue, "In a Slurm job, continue from the checkpoint, and queue the job again when it stops");
  v("--unless-done", o.unless_done, "Skip the job if its results exist and are current");
  v("--checkpoint", o.checkpoint, "Checkpoint folder (default: checkpoint.directory)");
  describe_script(v, o.script);
  v("--json", o.json, json_description);
}

// Collects the command-line arguments that yield the option values. Options at their defaults produce no argument.
class argument_writer {
 public:
  template <class Value, class... More>
  void operator()(const std::string& names, const Value& value, More&&...) {
    put(names.substr(names.find("--")), names.front() == '!', value);
  }
  std::vector<std::string> arguments;

 private:
  void put(const std::string& name, bool turns_off, bool value) {
    if (value != turns_off) arguments.push_back(name);
  }
  void put(const std::string& name, bool, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {name, value});
  }
  void put(const std::string& name, bool, const std::optional<int>& value) {
    if (value) arguments.insert(arguments.end(), {name, std::to_string(*value)});
  }
  void put(const std::string& name, bool, const std::optional<std::string>& value) {
    if (value) arguments.insert(arguments.end(), {name, *value});
  }
  void put(const std::string& name, bool, const std::vector<std::string>& values) {
    for (const std::string& value : values) arguments.insert(arguments.end(), {name, value});
  }
};

// Quote a word for a shell, if necessary.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || c > 127 || std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string::npos;
  });
  return plain ? word : shell_quoted(word);
}

}  // namespace

void add_options(command c, run_options& options) {
  describe(option_adder{c}, options);
  c.set_heading("Machine and files",
                {"--io", "--io-hint", "--no-place", "--bind", "--trace-messages", "--checkpoint", "--progress"});
  c.set_heading("VOX-FE scripts", {"--units", "--index-base"});
}

std::vector<std::string> run_arguments(const run_options& options) {
  argument_writer writer;
  run_options own = options;
  describe(writer, own);
  return std::move(writer.arguments);
}

std::string command_line(const run_options& options) {
  std::string text = "osteon run " + quoted(options.job);
  for (const std::string& word : run_arguments(options)) text += " " + quoted(word);
  return text;
}

verbosity verbosity_of(const run_options& options) {
  return options.quiet ? verbosity::quiet : options.verbose ? verbosity::all : verbosity::usual;
}

job::spec read_job(const run_options& options) {
  if (options.quiet && options.verbose) throw usage_error("--quiet and --verbose are mutually exclusive; pass one of them");
  std::vector<problem> problems;
  job::reader_options script = options.script;
  script.serial_text = options.io == "text-serial";
  job::spec spec = job::read_job(options.job, script, problems, options.set);
  if (!problems.empty()) {
    // The parent also reports the faults of the image. Ranks do not, because each rank would repeat the report.
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

job::variant_factory variant_maker(const run_options& options) {
  return [options](const std::vector<std::string>& keys, const std::string& folder) {
    run_options own = options;
    own.checkpoint.reset();
    own.report = false;
    own.json.clear();
    own.set.insert(own.set.end(), keys.begin(), keys.end());
    job::variant_job made{read_job(own), ""};
    own.output = made.job.output_directory = folder;
    made.command = command_line(own);
    return made;
  };
}

}  // namespace osteon::app
