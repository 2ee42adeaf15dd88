#pragma once
/// @file
/// Verification of files that may be damaged so that HDF5 crashes on them or never returns.
#include <osteon/io/files/verify.hpp>
#include <string>

namespace osteon::io {

/// verify_file() in a child process. Its exceptions, its crash and its not returning are faults, too.
/// @throws machine_error @collective local
verification verify_apart(const std::string& path);

}  // namespace osteon::io
