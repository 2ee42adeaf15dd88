#pragma once
/// @file
/// HDF5 file driver for the metadata of a file with chunks written by several ranks (internal to io).
#include <hdf5.h>

#include <string>

namespace osteon::io {

/// HDF5 virtual file driver for one process. The driver writes metadata to the file and discards raw data, because the ranks
/// write raw data to the addresses allocated by HDF5. HDF5 may hang on closing a file after a failed write. Therefore the
/// driver records failed writes (failure()) and does not report failed writes to HDF5.
class index_driver {
 public:
  index_driver();
  index_driver(const index_driver&) = delete;
  index_driver& operator=(const index_driver&) = delete;
  ~index_driver();

  /// Set this driver in a file access property list. @param fapl property list
  bool use_for(hid_t fapl) const { return id_ >= 0 && H5Pset_driver(fapl, id_, nullptr) >= 0; }
  /// Error message of the first failed write to an open file of this driver. The message is empty if all writes succeeded.
  static std::string failure(hid_t file);

 private:
  hid_t id_;
};

}  // namespace osteon::io
