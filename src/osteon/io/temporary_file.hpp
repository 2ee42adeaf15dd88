#pragma once
/// @file
/// Files with a temporary name until they are complete (used by io and job).
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace osteon::io {

/// A file with the temporary name `<path>.tmp.<host>.<pid>`. commit() syncs and renames the file. Without commit() the
/// destructor removes the file.
class temporary_file {
 public:
  /// Remove temporary files of the target that are left by killed runs, and create an empty temporary file.
  /// @throws machine_error if the directory does not exist or is not writable
  /// @throws usage_error if the target exists and is not a regular file (a device, a folder)
  explicit temporary_file(const std::string& path);
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file();

  const std::string& name() const { return name_; }
  /// Sync the file, rename it and sync the directory. @throws machine_error
  void commit();

 private:
  std::string path_, name_;
  bool committed_ = false;
};

/// Write a file with a temporary name, and rename the complete file.
/// @param write writes the content; after an exception of `write`, the temporary file is removed
/// @throws machine_error if the file cannot be written @throws usage_error if the target is not a regular file
/// @collective local
void write_file(const std::string& path, const std::function<void(std::ostream& to)>& write);

/// Remove temporary files of a target that are left by killed runs.
void remove_orphans(const std::string& path);

/// Reserve space for the growth of a file by `bytes`, within the free space, quota and file size limit of the process.
///
/// Open MPI (OMPIO) may ignore a failed write, and HDF5 may hang on closing a file that cannot grow. Therefore space is
/// allocated in the file system before data are written. The size of the file does not change.
/// @throws machine_error
void reserve_space(const std::string& name, std::int64_t bytes);
/// Reserve space for an unwritten range of a file. @throws machine_error
void reserve_range(const std::string& name, std::int64_t begin, std::int64_t bytes);
/// Check the file size limit of the process. @throws machine_error if the file may not grow by `bytes`
void check_size_limit(const std::string& name, std::int64_t bytes);
/// Release reserved space beyond the end of the file.
void release_reserve(const std::string& name);
/// Flush the cached pages of a file on this host to disk. @throws machine_error
void sync_file(const std::string& name);
std::int64_t size_of_file(const std::string& name);

}  // namespace osteon::io
