#pragma once
/// @file
/// Job files in TOML, and inputs of other programs. A reader converts the input of another program to a spec and a source of
/// the model.
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Read a job file in TOML, or a file that one of `all_readers` matches. @param problems receives the faults of the file
/// @param changes new values of keys of a TOML file, in the format of read_spec
spec read_job(const std::string& path, const reader_options& options, std::vector<problem>& problems,
              const std::vector<std::string>& changes = {});
/// Overload that throws the faults. @throws usage_error that lists all faults
spec read_job(const std::string& path, const reader_options& options, const std::vector<std::string>& changes = {});

}  // namespace osteon::job
