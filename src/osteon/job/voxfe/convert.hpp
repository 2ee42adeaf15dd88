#pragma once
/// @file
/// Models from VOX-FE text to netCDF and back.
#include <mpi.h>

#include <osteon/base/log_sink.hpp>
#include <osteon/job/voxfe/script_job.hpp>

namespace osteon::job {

/// Write the model of a script as a model file, or a model file as a script with materials, constraints and elements beside
/// it, all in canonical form. Which of the two is told by what `from` is.
/// @param comm of one rank
/// @return the files that were written
/// @throws data_error, usage_error, machine_error @collective on comm
std::vector<std::string> convert(MPI_Comm comm, const std::string& from, const std::string& to,
                                 const script_options& options, log_sink& log);

}  // namespace osteon::job
