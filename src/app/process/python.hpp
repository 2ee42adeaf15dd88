#pragma once
/// @file
/// Commands of the Python half.
#include <string>
#include <vector>

namespace osteon::app {

/// Run one; its errors and warnings are ours. @param failure begins the message of an unknown error
/// @return what it prints @throws data_error, machine_error
std::string run_python(const std::vector<std::string>& call, const char* failure);

}  // namespace osteon::app
