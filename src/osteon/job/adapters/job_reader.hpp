#pragma once
/// @file
/// Job files of other programs: a reader turns one into a spec and the source of its model.
#include <optional>
#include <osteon/job/spec.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

/// Options of the command line about VOX-FE scripts.
struct reader_options {
  std::optional<std::string> units;  ///< "mm" or "m"
  std::optional<int> index_base;     ///< 0 or 1
  bool serial_text = false;
  bool any() const { return units || index_base || serial_text; }
};

/// A reader: a constant beside the physics whose loads the files contain, and a line in physics/readers.cpp.
struct job_reader {
  /// Whether a file is one of this program. False if it cannot be read.
  bool (*matches)(const std::string& path);
  /// @param changes `KEY=VALUE` of --set @param problems receives each fault of the file and each option that it does not
  /// take
  spec (*read)(const std::string& path, const reader_options& options, const std::vector<std::string>& changes,
               std::vector<problem>& problems);
};

/// All readers; the first one that matches reads a file.
std::span<const job_reader* const> all_readers();

}  // namespace osteon::job
