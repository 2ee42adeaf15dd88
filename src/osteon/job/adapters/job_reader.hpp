#pragma once
/// @file
/// Readers of the job files of other programs. A reader converts a file to a spec and the source of its model.
#include <optional>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Command-line options for VOX-FE scripts.
struct reader_options {
  std::optional<std::string> units;  ///< "mm" or "m"
  std::optional<int> index_base;     ///< 0 or 1
  bool serial_text = false;
  bool any() const { return units || index_base || serial_text; }
};

/// A reader. Each physics defines one as a constant for the files that contain its loads; physics/readers.cpp lists them.
struct job_reader {
  /// Return true if a file belongs to this program, false if not or if the file cannot be read.
  bool (*matches)(const std::string& path);
  /// @param changes `KEY=VALUE` of --set @param problems receives each fault of the file and each unsupported option
  spec (*read)(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
               std::vector<problem>& problems);
};

/// All readers. The first match reads a file.
std::span<const job_reader* const> all_readers();

}  // namespace osteon::job
