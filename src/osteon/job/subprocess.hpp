#pragma once
/// @file
/// Programs that osteon starts: the Python readers of images and the report.
#include <osteon/job/stop.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct program_result {
  int exit_code = 0;  ///< 127 if the program could not be started, 128 + signal if it was killed
  std::string out;    ///< standard output
  std::string err;    ///< standard error
};

/// Start a program (found in PATH) and wait for it. No shell is involved.
/// @param is_to_stop asked meanwhile; if the job is to end, so is the program (SIGTERM), and its result says so
/// @collective local
program_result run_program(const std::vector<std::string>& arguments, const stop_query& is_to_stop = {});

/// Return true if a Python program of osteon ended because a package is missing.
bool lacks_package(const program_result& result);

/// Throw the sentence of a Python program of ours that lacks a package, or whose interpreter is too old: it states the
/// remedy.
/// @throws machine_error
void refuse_without_package(const program_result& result);

/// Words that start the Python interpreter that has the osteon package ($OSTEON_PYTHON, or python3) with `words`. The
/// interpreter does not search the working directory for modules (-P): files of a user beside a job, struct.py for example,
/// are never executed.
std::vector<std::string> python_command(std::vector<std::string> words);

}  // namespace osteon::job
