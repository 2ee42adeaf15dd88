#pragma once
/// @file
/// File locks of HDF5.

namespace osteon::io {

/// Disable the file locks of HDF5 in this process and its child processes, unless the user has set HDF5_USE_FILE_LOCKING.
/// Call this function before HDF5 opens a file.
///
/// With locks, HDF5 cannot open files on file systems without lock support (NFS without lockd, some Lustre). Locks are
/// unnecessary: directory_lock protects the output folder, files are replaced atomically, and readers check the seal.
void use_no_hdf5_locks();

/// Disables the locks during the lifetime of the object. Processes of other programs, such as Python, use this class.
class without_hdf5_locks {
 public:
  without_hdf5_locks();
  ~without_hdf5_locks();
  without_hdf5_locks(const without_hdf5_locks&) = delete;
  without_hdf5_locks& operator=(const without_hdf5_locks&) = delete;

 private:
  bool was_set_;
};

}  // namespace osteon::io
