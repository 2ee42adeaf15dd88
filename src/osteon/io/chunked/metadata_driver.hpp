#pragma once
/// @file
/// How HDF5 writes the metadata of a file whose chunks are written by the ranks (internal to io).
#include <hdf5.h>

#include <string>

namespace osteon::io {

/// A virtual file driver of HDF5 for one process. Metadata go to the file; raw data are dropped, because the ranks write
/// them to the addresses that HDF5 has allocated. HDF5 may hang at close after a failed write, so failures are recorded here
/// (failure()) and not reported to it.
class index_driver {
 public:
  index_driver();
  index_driver(const index_driver&) = delete;
  index_driver& operator=(const index_driver&) = delete;
  ~index_driver();

  /// Let files that are opened with these properties use the driver. @param fapl a file access property list
  bool use_for(hid_t fapl) const { return id_ >= 0 && H5Pset_driver(fapl, id_, nullptr) >= 0; }
  /// The first write to an open file of this driver that failed, as text; empty if none has.
  static std::string failure(hid_t file);

 private:
  hid_t id_;
};

}  // namespace osteon::io
