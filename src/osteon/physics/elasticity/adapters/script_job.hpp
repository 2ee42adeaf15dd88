#pragma once
/// @file
/// Jobs given as VOX-FE scripts (docs/reference/voxfe.md) or as models of FAIM and n88tools (.n88model). The readers
/// create a spec and the source of the model of the spec.
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/voxel/material.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

/// Return true if the first word of a file is a command of VOX-FE. Return false for an unreadable file.
bool is_script(const std::string& path);

/// Name of reader_options in the previous release.
using script_options [[deprecated("use reader_options")]] = reader_options;

/// The reader of VOX-FE scripts.
const job_reader& script_reader();

/// The reader of n88 models. The job is the active problem of the file. The file is opened when the model of the job is
/// read.
const job_reader& n88_reader();

/// Return a job with the constraints of another program's model. The job has no source of the model.
spec job_of_model(const std::string& path);

/// Write a model of another program as a model file. @param material of all voxels
imported_model write_imported(const spec& job, const std::string& path, const voxel::model_header& header,
                              const std::vector<material_number>& material);

}  // namespace osteon::physics
