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

/// A reader. Each physics defines a reader as a constant for the files that contain its loads. physics/readers.cpp lists the
/// readers.
struct job_reader {
  /// Return true if a file is an input of the reader's program; false otherwise, or if the file cannot be read.
  bool (*matches)(const std::string& path);
  /// @param changes new values of keys by --set, each `KEY=VALUE` @param problems receives each fault of the file and each
  /// unsupported option
  spec (*read)(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
               std::vector<problem>& problems);
};

/// All readers. The first reader that matches a file reads the file.
std::span<const job_reader* const> all_readers();

}  // namespace osteon::job
