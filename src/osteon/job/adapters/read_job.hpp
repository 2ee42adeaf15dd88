#pragma once
/// @file
/// Job files: TOML, or what another program has as its input. The adapters beside this file turn the latter into a spec and
/// the source of its model; nothing else in `job` knows one of them.
#include <osteon/job/adapters/voxfe/script_job.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// Read a job file: TOML, VOX-FE script or n88 model. @param problems receives what is wrong
/// @param changes of keys of a TOML file, as read_spec takes them
spec read_job(const std::string& path, const script_options& options, std::vector<problem>& problems,
              const std::vector<std::string>& changes = {});

}  // namespace osteon::job
