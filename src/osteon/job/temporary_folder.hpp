#pragma once
/// @file
/// A folder for temporary files.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <osteon/base/error.hpp>
#include <string>

namespace osteon::job {

/// A folder in TMPDIR. The destructor removes the folder.
class temporary_folder {
 public:
  /// @param purpose part of the folder name osteon-PURPOSE-XXXXXX @throws machine_error
  explicit temporary_folder(const std::string& purpose)
      : path_((std::filesystem::temp_directory_path() / ("osteon-" + purpose + "-XXXXXX")).string()) {
    if (!mkdtemp(path_.data()))
      throw machine_error(fmt::format("cannot create a temporary folder in '{}'; set TMPDIR to a folder with free space",
                                      std::filesystem::temp_directory_path().string()));
  }
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace osteon::job
