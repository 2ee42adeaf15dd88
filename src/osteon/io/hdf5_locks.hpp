#pragma once
/// @file
/// The file locks of HDF5.

namespace osteon::io {

/// Switch the file locks of HDF5 off in this process and in programs that it starts, unless the user has set
/// HDF5_USE_FILE_LOCKING. Call it before HDF5 opens a file.
///
/// File systems without locks (NFS without lockd, some Lustre) refuse them, and HDF5 then refuses the file. They are not
/// needed: directory_lock has the output folder, files are replaced as a whole, and readers hold them against their seal.
void use_no_hdf5_locks();

/// The same for the life of an object, for a process of another program.
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
