#pragma once
/// @file
/// Jobs that are VOX-FE scripts (docs/voxfe.md): a script becomes a spec, and the source of its model.
#include <optional>
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

/// The job of a script. @param problems receives what is wrong
spec spec_of_script(const std::string& path, const script_options& options, std::vector<problem>& problems);

}  // namespace osteon::job
