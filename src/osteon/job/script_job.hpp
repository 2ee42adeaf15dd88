#pragma once
/// @file
/// Jobs that are VOX-FE scripts: from the script to a spec, its model, its loads (docs/voxfe.md).
#include <osteon/io/voxfe/read_model.hpp>
#include <osteon/job/import.hpp>
#include <osteon/job/load_cases.hpp>

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
spec read_job(const std::string& path, const script_options& options, std::vector<problem>& problems);

/// Read the model of a script on many ranks. @collective on comm
specimen read_script_model(MPI_Comm comm, const spec& job, sink& log);

/// Read the model of a script in one process and write it as a model file. @collective local
imported_model import_script(const spec& job, const std::string& path, sink& log);

/// Add what the model says about its nodes: a support for each choice of held axes, and the forces.
/// @throws data_error if a force pulls at a node without solid @collective
void add_conditions(const node_sets& sets, load_case& to, sink& log);

}  // namespace osteon::job
