#pragma once
/// @file
/// One job at a time in an output directory.
#include <string>

namespace osteon::job {

/// Holds an output directory (made if it does not exist) for this process until it is destroyed or the process ends.
/// Where the file system has no locks (some network file systems) it holds nothing.
class directory_lock {
 public:
  /// @throws usage_error if another job writes there, machine_error if the directory cannot be made
  explicit directory_lock(const std::string& directory);
  ~directory_lock();
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace osteon::job
