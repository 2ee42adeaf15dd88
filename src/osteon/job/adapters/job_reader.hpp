#pragma once
/// @file
/// Readers of the job files of other programs. A reader converts a file to a spec and a source of the model.
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

/// A reader. A physics defines a reader as a constant. The reader reads files that contain loads of the physics.
/// physics/readers.cpp lists the readers.
struct job_reader {
  /// Return true if a file is an input of the reader's program. If the file cannot be read, the result is false.
  bool (*matches)(const std::string& path);
  /// @param changes new values of keys from the option --set, each in the form `KEY=VALUE` @param problems receives the
  /// faults of the file and the unsupported options
  spec (*read)(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
               std::vector<problem>& problems);
};

/// All readers. The first reader that matches a file reads this file.
std::span<const job_reader* const> all_readers();

}  // namespace osteon::job
