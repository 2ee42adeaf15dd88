#pragma once
/// @file
/// Subprocesses of osteon. Examples are the Python readers of images, and the report.
#include <osteon/job/stop.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct program_result {
  int exit_code = 0;  ///< 127 if the program could not be started; 128 + signal if a signal killed the program
  std::string out;    ///< text on standard output
  std::string err;    ///< text on standard error
};

/// Start a program in PATH, and wait for its end. The program is started without a shell.
/// @param is_to_stop function that is called while waiting; if the result is true, the program receives SIGTERM
/// @collective local
program_result run_program(const std::vector<std::string>& arguments, const stop_query& is_to_stop = {});

/// Return true if a Python program of osteon ended because of a missing package.
bool lacks_package(const program_result& result);

/// Throw an error with a remedy if a Python program of osteon lacks a package, or if its interpreter is not supported.
/// @throws machine_error
void require_python_packages(const program_result& result);

/// Return the command that starts Python with `arguments`. The interpreter is $OSTEON_PYTHON or python3, and has the package
/// osteon. The interpreter does not search the working directory for modules (-P). Files of a user in the folder of a job,
/// for example struct.py, are therefore never executed.
std::vector<std::string> python_command(std::vector<std::string> arguments);

}  // namespace osteon::job
