#pragma once
/// @file
/// Verification of the integrity of a file, even if HDF5 crashes on the file or does not terminate.
#include <cstdint>
#include <functional>
#include <osteon/io/chunked/seal.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Fault of a file.
struct fault {
  std::string variable;               ///< for example `CellData/sed`; empty: the complete file
  std::int64_t first = 0, last = -1;  ///< range of z planes; all planes if last < first
  std::string text;                   ///< for example `does not match its digests`
};

/// Text of a fault, for example "CellData/sed, planes 16 to 23: does not match its digests".
std::string to_text(const fault& f);

struct verification {
  std::string schema;                                 ///< value of `product_schema`
  std::int64_t variables = 0, planes = 0, bytes = 0;  ///< amounts of verified data
  bool filter_missing = false;                        ///< true: a field was not verified because an HDF5 filter is missing
  std::vector<fault> faults;
};

/// Compare the metadata and every plane of every field of a model or result with the digests in the file. Chunks of any
/// shape are accepted, because copies by other programs may have other chunks.
///
/// The function does not check the seal (read_seal()). A damaged file may crash HDF5 or cause an infinite loop. Therefore
/// call this function in a separate process unless the seal is valid.
/// @param before_reading called with the number of bytes of the next read
/// @throws data_error if the file is not a file of osteon, or exceeds a limit @collective local
verification verify_file(const std::string& path, const std::function<void(std::int64_t)>& before_reading = {});

/// Run verify_file() in a child process. Exceptions, crashes and infinite loops are reported as faults.
/// @throws machine_error @collective local
verification verify_apart(const std::string& path);

}  // namespace osteon::io
