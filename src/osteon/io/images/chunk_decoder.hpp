#pragma once
/// @file
/// Decoding of Zarr chunks.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace osteon::io::zarr {

/// Conversion of bytes to bytes in the encoding of a chunk. `shuffle` is the filter of HDF5, as osteon::io::shuffle().
enum class codec { zlib, gzip, zstd, crc32c, shuffle };

/// True if this build decodes zstd.
bool can_read_zstd();

/// Checksum CRC-32C (Castagnoli) of bytes.
std::uint32_t crc32c(std::span<const std::byte> bytes);

/// Decodes chunks of one size. An object is used by one thread.
class chunk_decoder {
 public:
  /// @param codecs in the order of encoding @param width bytes of a value, for codec::shuffle
  chunk_decoder(std::vector<codec> codecs, std::size_t width) : codecs_(std::move(codecs)), width_(width) {}

  /// Decode a chunk to exactly the size of `to`.
  /// @throws data_error with the reason, if the bytes are truncated or damaged, have a wrong checksum, or decode to another
  /// size
  void decode(std::span<const std::byte> from, std::span<std::byte> to);

  /// Largest number of bytes that an encoded chunk of this many bytes may have.
  static std::size_t most_encoded(std::size_t decoded) { return 2 * decoded + 65536; }

 private:
  std::size_t apply(codec by, std::span<const std::byte> from, std::span<std::byte> to) const;

  std::vector<codec> codecs_;
  std::size_t width_;
  std::vector<std::byte> between_[2];  // results of all codecs except the last
};

}  // namespace osteon::io::zarr
