#pragma once
/// @file
/// Options of `osteon run` and their application to a job file.
#include <app/common_options.hpp>
#include <app/process/terminal.hpp>
#include <optional>
#include <osteon/job/spec.hpp>
#include <osteon/job/variants/variant.hpp>
#include <string>
#include <vector>

namespace osteon::app {

struct run_options {
  std::string job;
  std::optional<int> ranks, threads;
  std::optional<std::string> output, checkpoint, io;
  std::vector<std::string> io_hints, set;
  bool place = true;
  std::optional<std::string> bind;
  bool resume = false, requeue = false, unless_done = false, force = false, trace_messages = false, quiet = false,
       verbose = false;
  std::string json;      ///< file for summary.json's content, `-` for standard output
  std::string progress;  ///< file for progress events, as JSON lines
  bool report = true;
  job::reader_options script;
  job::image_digests digests;  ///< not an option: digests from the parent, or from the first rank
};

/// Add the options to a command.
void add_options(command c, run_options& options);

/// Command-line arguments that yield these option values.
std::vector<std::string> run_arguments(const run_options& options);

/// `osteon run JOB ...` in shell syntax.
std::string command_line(const run_options& options);

verbosity verbosity_of(const run_options& options);

/// Read the job. Options override keys of the job file. @throws usage_error with all faults of the job
job::spec read_job(const run_options& options);

/// Creates variants of the job that are equal to the results of separate commands.
job::variant_factory variant_maker(const run_options& options);

}  // namespace osteon::app
