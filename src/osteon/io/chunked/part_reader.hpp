#pragma once
/// @file
/// Digests of the stored bytes of parts of a file (internal to io).
#include <cstddef>
#include <cstdint>
#include <osteon/base/error.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Computes digests of parts of a file, in pieces that fit into the cache.
class part_reader {
 public:
  /// @param fault kind of the error if the file cannot be read @throws error of this kind
  part_reader(std::string path, error_kind fault);

  /// XXH3 of `length` bytes, hexadecimal; empty if the file is shorter. @throws error of the given kind
  std::string digest(std::int64_t address, std::int64_t length);
  /// XXH64 of `length` bytes, for older files.
  std::string older_digest(std::int64_t address, std::int64_t length);

 private:
  template <class Digest>
  std::string digest_by(std::int64_t address, std::int64_t length);

  std::string path_;
  error_kind fault_;
  file_descriptor file_;
  std::vector<std::byte> piece_;
};

}  // namespace osteon::io
