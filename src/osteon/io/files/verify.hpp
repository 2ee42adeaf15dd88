#pragma once
/// @file
/// Verification that a file of osteon is unchanged, even for files on which HDF5 crashes or does not terminate.
#include <cstdint>
#include <functional>
#include <osteon/io/chunked/seal.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Fault of a file.
struct fault {
  std::string variable;               ///< e.g. `CellData/sed`; empty: the complete file
  std::int64_t first = 0, last = -1;  ///< z planes; none if last < first
  std::string text;                   ///< e.g. `does not match its digests`
};

/// "CellData/sed, planes 16 to 23: does not match its digests".
std::string to_text(const fault& f);

struct verification {
  std::string schema;                                 ///< `product_schema`
  std::int64_t variables = 0, planes = 0, bytes = 0;  ///< amounts of data read
  bool filter_missing = false;                        ///< a field was not read because of a missing HDF5 filter
  std::vector<fault> faults;
};

/// Read every plane of every field of a model or result and compare with the digests in the file, including the metadata.
/// Any chunks are accepted, so copies by other programs can be verified.
///
/// The seal is not checked: see read_seal(). A damaged file may crash HDF5 or cause an infinite loop, so call this in a
/// separate process unless the seal is valid.
/// @param before_reading called with the number of bytes of the next read
/// @throws data_error if it is not a file of osteon, or exceeds a limit @collective local
verification verify_file(const std::string& path, const std::function<void(std::int64_t)>& before_reading = {});

/// verify_file() in a child process. Exceptions, crashes and infinite loops are also faults.
/// @throws machine_error @collective local
verification verify_apart(const std::string& path);

}  // namespace osteon::io
