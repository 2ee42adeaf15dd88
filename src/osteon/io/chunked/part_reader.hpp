#pragma once
/// @file
/// Digests of parts of a file, of the bytes as stored (internal to io).
#include <cstddef>
#include <cstdint>
#include <osteon/base/error.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Reads parts of a file in pieces that stay in the cache until they are digested.
class part_reader {
 public:
  /// @param fault what a file that cannot be read is an error of @throws error of that kind
  part_reader(std::string path, error_kind fault);
  part_reader(const part_reader&) = delete;
  part_reader& operator=(const part_reader&) = delete;
  ~part_reader();

  /// XXH3 of `length` bytes, hexadecimal; empty if the file ends before. @throws error of the given kind
  std::string digest(std::int64_t address, std::int64_t length);
  /// The same by XXH64, as older files have it.
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
