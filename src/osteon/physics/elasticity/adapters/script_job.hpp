#pragma once
/// @file
/// Jobs that are VOX-FE scripts (docs/reference/voxfe.md) or models of FAIM and n88tools (.n88model): a file becomes a spec,
/// and the source of its model.
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

/// The reader of n88 models. The job of a file is its active problem; the file is not opened before its model is read.
const job_reader& n88_reader();

}  // namespace osteon::physics
