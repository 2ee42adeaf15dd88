#pragma once
/// @file
/// Whether a file of osteon is unchanged since it was written, even one so damaged that HDF5 crashes on it or never
/// returns.
#include <cstdint>
#include <functional>
#include <osteon/io/chunked/seal.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Something wrong with a file.
struct fault {
  std::string variable;               ///< e.g. `CellData/sed`; empty: the file as a whole
  std::int64_t first = 0, last = -1;  ///< z planes; none if last < first
  std::string text;                   ///< e.g. `does not match its digests`
};

/// "CellData/sed, planes 16 to 23: does not match its digests".
std::string to_text(const fault& f);

struct verification {
  std::string schema;                                 ///< `product_schema`
  std::int64_t variables = 0, planes = 0, bytes = 0;  ///< that were read
  bool filter_missing = false;                        ///< a field was not read for want of a filter of HDF5
  std::vector<fault> faults;
};

/// Read every plane of every field of a model or result and compare with the digests in the file; the metadata too. The
/// chunks in the file need not be those that osteon chose, so copies by other programs can be verified.
///
/// The seal is not checked: see read_seal(). A damaged file may crash HDF5 or keep it busy for ever, so call this where
/// that does no harm (a process of its own) unless the seal is good.
/// @param before_reading called with the number of bytes that are read next
/// @throws data_error if it is no file of osteon, or breaks a limit @collective local
verification verify_file(const std::string& path, const std::function<void(std::int64_t)>& before_reading = {});

/// verify_file() in a child process. Its exceptions, its crash and its not returning are faults, too.
/// @throws machine_error @collective local
verification verify_apart(const std::string& path);

}  // namespace osteon::io
