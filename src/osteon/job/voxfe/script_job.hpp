#pragma once
/// @file
/// Jobs that are VOX-FE scripts (docs/voxfe.md): a script becomes a spec, and the source of its model; and models
/// from VOX-FE text to netCDF and back.
#include <mpi.h>

#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// What the command line says about a script.
struct script_options {
  std::optional<std::string> units;  ///< "mm" or "m"
  std::optional<int> index_base;     ///< 0 or 1
  bool serial_text = false;
  bool any() const { return units || index_base || serial_text; }
};

/// Whether a file is a VOX-FE script: its first word is a command. False if it cannot be read.
bool is_script(const std::string& path);

/// Read a job file, TOML or script. @param problems receives what is wrong
/// @param changes of keys of a TOML file, as read_spec takes them
spec read_job(const std::string& path, const script_options& options, std::vector<problem>& problems,
              const std::vector<std::string>& changes = {});

/// Write the model of a script as a model file, or a model file as a script with materials, constraints and elements beside
/// it, all in canonical form. Which of the two is told by what `from` is.
/// @param comm of one rank
/// @return the files that were written
/// @throws data_error, usage_error, machine_error @collective on comm
std::vector<std::string> convert(MPI_Comm comm, const std::string& from, const std::string& to,
                                 const script_options& options, log_sink& log);

}  // namespace osteon::job
