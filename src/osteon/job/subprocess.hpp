#pragma once
/// @file
/// Subprocesses of osteon: the Python readers of images and the report.
#include <osteon/job/stop.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct program_result {
  int exit_code = 0;  ///< 127 if the program could not be started, 128 + signal if it was killed
  std::string out;    ///< standard output
  std::string err;    ///< standard error
};

/// Start a program (found in PATH) and wait for its end. No shell is involved.
/// @param is_to_stop called while waiting; if it returns true, the program is terminated by SIGTERM
/// @collective local
program_result run_program(const std::vector<std::string>& arguments, const stop_query& is_to_stop = {});

/// Return true if a Python program of osteon ended because a package is missing.
bool lacks_package(const program_result& result);

/// Throw an error with a remedy if a Python program of osteon lacks a package or has an unsupported interpreter.
/// @throws machine_error
void require_python_packages(const program_result& result);

/// Return the command that starts the Python interpreter with the osteon package ($OSTEON_PYTHON, or python3) with
/// `arguments`. The interpreter does not search the working directory for modules (-P): files of a user next to a job,
/// struct.py for example, are never executed.
std::vector<std::string> python_command(std::vector<std::string> arguments);

}  // namespace osteon::job
