#pragma once
/// @file
/// How HDF5 writes a file whose chunks others write (internal to io).
#include <hdf5.h>

#include <string>

namespace osteon::io {

/// A driver of HDF5 for one process. Metadata go to the file; raw data are dropped, for others write them where HDF5 has
/// found room. HDF5 can hang in its last moments after a write has failed, so it never hears of that: see failure().
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
