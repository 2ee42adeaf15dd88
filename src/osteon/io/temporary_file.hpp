#pragma once
/// @file
/// File that gets its final name only after it is complete (used by io and job).
#include <cstdint>
#include <string>

namespace osteon::io {

/// Writes go to `<path>.tmp.<host>.<pid>`; commit() syncs it and renames it. Without commit() it is removed.
class temporary_file {
 public:
  /// Remove the temporary files of killed runs of the same target, and create an empty one.
  /// @throws machine_error if the directory does not exist or cannot be written
  /// @throws usage_error if the target exists and is not a regular file (a device, a folder)
  explicit temporary_file(const std::string& path);
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();

  const std::string& name() const { return name_; }
  /// Sync the file, give it its final name and sync the directory. @throws machine_error
  void commit();

 private:
  std::string path_, name_;
  bool committed_ = false;
};

/// Remove temporary files of killed runs of a target.
void remove_orphans(const std::string& path);

/// Reserve space so that a file can grow by `bytes` within the free space, quota and file size limit of the process.
///
/// Open MPI's OMPIO may drop a failed write silently, and HDF5 may hang in close when its file cannot grow; so the space is
/// allocated in the file system before the data are written. The size of the file does not change.
/// @throws machine_error
void reserve_space(const std::string& name, std::int64_t bytes);
/// The same for an unwritten part of the file.
void reserve_range(const std::string& name, std::int64_t begin, std::int64_t bytes);
/// @throws machine_error if this process may not grow the file by `bytes`
void check_size_limit(const std::string& name, std::int64_t bytes);
/// Free the space that was reserved beyond the end of the file.
void release_reserve(const std::string& name);
/// Flush the cached pages of a file on this host to disk. @throws machine_error
void sync_file(const std::string& name);
std::int64_t size_of_file(const std::string& name);

}  // namespace osteon::io
