#pragma once
/// @file
/// XXH3, a digest against damage that is faster than the memory; it does not withstand forgery.
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace osteon {

/// An incremental XXH3 of 64 bits without a seed, three times as fast as XXH64 where its bytes are in the cache.
/// @cite [xxHash], specification 0.2.0
class xxh3 {
 public:
  xxh3();
  void update(std::span<const std::byte> bytes);
  /// Lower-case hexadecimal digest, 16 characters, most significant first.
  std::string hex() const;

 private:
  struct state;
  struct release {
    void operator()(state* s) const;
  };
  std::unique_ptr<state, release> state_;
};

std::string xxh3_of(std::span<const std::byte> bytes);

}  // namespace osteon
