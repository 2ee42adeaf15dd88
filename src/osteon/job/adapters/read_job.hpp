#pragma once
/// @file
/// Job files: TOML, or what another program has as its input. A reader of theirs turns the latter into a spec
/// and the source of its model.
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Read a job file: TOML, or a file that one of `all_readers` matches. @param problems receives what is wrong
/// @param changes of keys of a TOML file, as read_spec takes them
spec read_job(const std::string& path, const reader_options& options, std::vector<problem>& problems,
              const std::vector<std::string>& changes = {});
/// The same. @throws usage_error with all that is wrong
spec read_job(const std::string& path, const reader_options& options, const std::vector<std::string>& changes = {});

}  // namespace osteon::job
