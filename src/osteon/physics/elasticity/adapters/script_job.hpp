#pragma once
/// @file
/// Jobs that are VOX-FE scripts (docs/voxfe.md): a script becomes a spec, and the source of its model.
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Whether a file is a VOX-FE script: its first word is a command. False if it cannot be read.
bool is_script(const std::string& path);

/// The name of the release before.
using script_options [[deprecated("use reader_options")]] = reader_options;

/// The reader of VOX-FE scripts.
const job_reader& script_reader();

}  // namespace osteon::physics
