#pragma once
/// @file
/// SHA-256 digests of files and of memory. OpenSSL computes the digests.
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace osteon {

/// Incremental SHA-256.
class sha256 {
 public:
  sha256();
  ~sha256();
  sha256(const sha256&) = delete;
  sha256& operator=(const sha256&) = delete;
  void update(std::span<const std::byte> bytes);
  /// Lower-case hexadecimal digest, 64 characters. Call this function once.
  std::string hex();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// SHA-256 of a file's bytes.
/// @param between function that is called after each MiB; an exception of this function stops the computation
/// @throws data_error if the file cannot be read
std::string sha256_of_file(const std::string& path, const std::function<void()>& between = {});
std::string sha256_of(std::span<const std::byte> bytes);

}  // namespace osteon
