#pragma once
/// @file
/// Execution of the Python commands.
#include <string>
#include <vector>

namespace osteon::app {

/// Run a command, throw its error and print its warnings. @param failure beginning of the message of an unknown error
/// @return standard output of the command @throws usage_error, data_error, machine_error
std::string run_python(const std::vector<std::string>& call, const char* failure);

/// Run a command and print its output. If `json` is `-`, write the output to the reserved standard output.
void print_python_answer(const std::vector<std::string>& call, const char* failure, const std::string& json);

/// Replace this process by a command. The command has the signals, terminal and standard streams of this process, and its
/// exit code is the exit code of the program. Reserved standard output is restored. @throws machine_error if the command
/// does not start
[[noreturn]] void exec_python(const std::vector<std::string>& call);

}  // namespace osteon::app
