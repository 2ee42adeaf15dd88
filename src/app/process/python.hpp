#pragma once
/// @file
/// Execution of the Python commands.
#include <string>
#include <vector>

namespace osteon::app {

/// Run a command and adopt its errors and warnings. @param failure beginning of the message of an unknown error
/// @return its standard output @throws usage_error, data_error, machine_error
std::string run_python(const std::vector<std::string>& call, const char* failure);

/// Run a command and print its output; if `json` is `-`, write it to the reserved standard output.
void print_python_answer(const std::vector<std::string>& call, const char* failure, const std::string& json);

/// Replace this process by a command, which takes over signals, terminal, standard streams and exit code. Reserved standard
/// output is restored. @throws machine_error if it does not start
[[noreturn]] void exec_python(const std::vector<std::string>& call);

}  // namespace osteon::app
