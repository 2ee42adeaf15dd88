#pragma once
/// @file
/// Jobs given as VOX-FE scripts (docs/reference/voxfe.md) or as models of FAIM and n88tools (.n88model). A file is converted
/// to a spec and the source of its model.
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Return true if a file is a VOX-FE script: its first word is a command. False if the file cannot be read.
bool is_script(const std::string& path);

/// Name in the previous release.
using script_options [[deprecated("use reader_options")]] = reader_options;

/// The reader of VOX-FE scripts.
const job_reader& script_reader();

/// The reader of n88 models. The job is the active problem of the file; the file is first opened when its model is read.
const job_reader& n88_reader();

}  // namespace osteon::physics
