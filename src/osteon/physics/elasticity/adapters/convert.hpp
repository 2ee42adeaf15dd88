#pragma once
/// @file
/// Conversion of models from VOX-FE text or n88 to netCDF, and back to VOX-FE text.
#include <mpi.h>

#include <osteon/base/log_sink.hpp>
#include <osteon/job/adapters/job_reader.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

/// Convert a VOX-FE script or an n88 model to a model file, or a model file to a script.
/// The written script includes files of materials, constraints and elements in canonical form. The type of `from`
/// determines the direction.
/// @param comm of one rank
/// @return the written files
/// @throws data_error, usage_error, machine_error @collective on comm
std::vector<std::string> convert(MPI_Comm comm, const std::string& from, const std::string& to,
                                 const reader_options& options, log_sink& log);

}  // namespace osteon::physics
