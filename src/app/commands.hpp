#pragma once
/// @file
/// The subcommands. Each returns the exit code of the program and throws osteon::error for anything that ends it.
#include <optional>
#include <osteon/bench/render.hpp>
#include <osteon/job/render_file.hpp>
#include <osteon/job/script_job.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct run_options {
  std::string job;
  std::optional<int> ranks, threads;
  std::optional<std::string> output, checkpoint, io;
  std::vector<std::string> io_hints;
  bool resume = false;
  std::string json;  ///< file for summary.json's content, `-` for standard output
  bool report = true;
  job::script_options script;
};

/// Run a job: alone, import the image and start the ranks; under a launcher, compute as one of its ranks.
int run(const run_options& options);

/// Continue the job whose checkpoint lies in a folder. @param options ranks, threads, report and json count
int resume(const std::string& directory, run_options options);

/// Check a job file and the files that it names; all faults at once.
int check(const std::string& job, const job::script_options& script, const std::string& json);

/// Say what a job would take, without solving it; imports the image if need be.
int estimate(const std::string& job, std::optional<int> ranks, const job::script_options& script, const std::string& json);

/// Turn the model of a VOX-FE script into a model file, or a model file into a script.
int convert(const std::string& from, const std::string& to, const job::script_options& options, const std::string& json);

/// Turn the image of a job into a model file.
/// @param model path of the file to write; empty for model.nc in the output directory
int import(const std::string& job, const std::string& model, const job::script_options& script, const std::string& json);

/// Check models and results against their seals and digests; a fault is a line each, and exit code 3.
/// @param seal put a seal behind those that are whole but have none
int verify(const std::vector<std::string>& paths, bool seal, const std::string& json);

/// Write fields of a result as an image, by the Python writers.
struct export_options {
  std::string source, target, component, empty;
  std::vector<std::string> fields;
};
int export_image(const export_options& options);

/// Say what compositing costs on a machine: by the paper's equations, by the extended ones, by walking the plan.
struct net_cost_options {
  std::string method = "binary-swap", pixels = "512x512", machine = "bgl";
  int ranks = 0, bytes_per_pixel = 4;
  std::string json;
};
int net_cost(const net_cost_options& options);

/// Print the frame rates that the compositing paper measured beside what the models say of them.
int net_paper_compositing(const std::string& json);

struct plan_options {
  std::vector<std::string> methods;  ///< as composite_method::parse takes them; none: all known ones
  int ranks = 8, bytes_per_pixel = 4, ranks_per_host = 0;
  std::string pixels = "512x512", order = "identity", root = "0", json;
  double active = 1;  ///< share of the image that each rank has drawn, as a box
};

/// Make compositing plans, count what they ask of ranks and verify them; exit code 3 if one is unsound.
int plan_table(const plan_options& options);
/// Draw one plan as SVG. @param target file, `-` for standard output
int plan_drawing(const plan_options& options, const std::string& target);
/// Make pictures of a results file. Under a launcher all ranks take part.
int render(const job::render_request& request, const std::string& json);

/// Measure the ray caster. Under a launcher all ranks take part.
int bench_render(const bench::render_options& options, const std::string& json);

int report(const std::string& directory);
int schema();
int version(const std::string& json);

/// Options of `osteon bench composite`.
struct bench_composite_options {
  int ranks = 4;
  std::optional<int> threads;
  std::vector<std::string> ways{"shared", "direct-send", "binary-swap"};
  int width = 512, height = 512;
  std::string format = "rgba8";
  double active = 1, seconds = 3;
  std::string binding = "none";
  int ranks_per_domain = 4;
  bool blend = false;
  std::string json;
};
/// @param words the arguments of this program, for the ranks that it starts
int bench_composite(const bench_composite_options& options, const std::vector<std::string>& words);

}  // namespace osteon::app
