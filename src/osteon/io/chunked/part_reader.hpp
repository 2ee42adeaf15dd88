#pragma once
/// @file
/// Digests of parts of a file, computed from the stored bytes (internal to io).
#include <cstddef>
#include <cstdint>
#include <osteon/base/error.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Reads parts of a file in pieces that remain in the cache until they are digested.
class part_reader {
 public:
  /// @param fault kind of the error for a file that cannot be read @throws error of that kind
  part_reader(std::string path, error_kind fault);
  part_reader(const part_reader&) = delete;
  part_reader& operator=(const part_reader&) = delete;
  ~part_reader();

  /// XXH3 of `length` bytes, hexadecimal; empty if the file is shorter. @throws error of the given kind
  std::string digest(std::int64_t address, std::int64_t length);
  /// XXH64 of the same bytes, for older files.
  std::string older_digest(std::int64_t address, std::int64_t length);

 private:
  template <class Digest>
  std::string digest_by(std::int64_t address, std::int64_t length);

  std::string path_;
  error_kind fault_;
  int descriptor_ = -1;
  std::vector<std::byte> piece_;
};

}  // namespace osteon::io
