#pragma once
/// @file
/// Encoding of chunks in the format of the HDF5 filters, without HDF5 (internal to io).
///
/// Every rank compresses its chunks in parallel threads. Deflate uses ISA-L, which is seven times as fast as zlib for the
/// same compressed size. The encoded chunks are ordinary shuffled zlib or zstd streams.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <osteon/io/storage.hpp>
#include <span>

namespace osteon::io {

/// True if this build supports zstd.
bool can_write_zstd();

/// Shuffle filter of HDF5 (filter 2). The output consists of the first bytes of all elements, then the second bytes of all
/// elements, and so on.
/// @param to output of the size of `values`, which is a multiple of element_bytes
void shuffle(std::span<const std::byte> values, std::int64_t element_bytes, std::span<std::byte> to);

/// Encodes chunks of one size.
class chunk_encoder {
 public:
  /// @throws std::bad_alloc
  chunk_encoder(const storage& options, std::int64_t element_bytes, std::size_t chunk_bytes);
  ~chunk_encoder();
  chunk_encoder(const chunk_encoder&) = delete;
  chunk_encoder& operator=(const chunk_encoder&) = delete;

  /// Maximum size of an encoded chunk in bytes.
  std::size_t bound() const;
  /// Encode a chunk.
  /// @param values values of the chunk; an incomplete chunk (the last planes) is padded with zeros
  /// @param to output of at least bound() bytes
  /// @return size of the encoded chunk in bytes @throws machine_error
  std::size_t encode(std::span<const std::byte> values, std::span<std::byte> to);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace osteon::io
