#pragma once
/// @file
/// Commands of the Python half.
#include <string>
#include <vector>

namespace osteon::app {

/// Run one; its errors and warnings are ours. @param failure begins the message of an unknown error
/// @return what it prints @throws data_error, machine_error
std::string run_python(const std::vector<std::string>& call, const char* failure);

/// Become one: signals, terminal, standard files and exit code are its own from now on. Standard output that was kept for
/// an answer is given back to it. @throws machine_error if it cannot be started
[[noreturn]] void become_python(const std::vector<std::string>& call);

}  // namespace osteon::app
