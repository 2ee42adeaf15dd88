#pragma once
/// @file
/// Commands of the Python half.
#include <string>
#include <vector>

namespace osteon::app {

/// Run one; its errors and warnings are ours. @param failure begins the message of an unknown error
/// @return what it prints @throws usage_error, data_error, machine_error
std::string run_python(const std::vector<std::string>& call, const char* failure);

/// The same of one that answers: print what it says, or, where `json` is `-`, give it to the standard output that was kept.
void tell_answer_of_python(const std::vector<std::string>& call, const char* failure, const std::string& json);

/// Become one: signals, terminal, standard files and exit code are its own from now on. Standard output that was kept for
/// an answer is given back to it. @throws machine_error if it cannot be started
[[noreturn]] void become_python(const std::vector<std::string>& call);

}  // namespace osteon::app
