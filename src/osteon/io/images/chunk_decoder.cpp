#include <osteon/io/images/chunk_decoder.hpp>

#include <fmt/format.h>
#include <zlib.h>
#ifdef OSTEON_ISAL
#include <isa-l/igzip_lib.h>
#endif
#ifdef OSTEON_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <osteon/base/error.hpp>

namespace osteon::io::zarr {
namespace {

constexpr std::size_t checksum_bytes = 4;

[[noreturn]] void fail(const std::string& reason) { throw data_error(reason); }

constexpr std::array<std::uint32_t, 256> crc32c_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ ((value & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = value;
  }
  return table;
}();

// Reason for a stream that does not end. @param rest unused bytes of the output of `size` bytes
std::string no_end(std::size_t rest, std::size_t size) {
  return rest == 0 ? fmt::format("the stream does not end after {} bytes", size) : "the end of the stream is missing";
}

// ISA-L inflates two to three times as fast as zlib. Both functions return the number of bytes of the output and verify the
// checksum at the end of the stream.
#ifdef OSTEON_ISAL
std::size_t inflated(std::span<const std::byte> from, std::span<std::byte> to, bool is_gzip) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = is_gzip ? ISAL_GZIP : ISAL_ZLIB;
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(from.data()));  // ISA-L does not modify the input
  state.avail_in = static_cast<std::uint32_t>(from.size());
  state.next_out = reinterpret_cast<std::uint8_t*>(to.data());
  state.avail_out = static_cast<std::uint32_t>(to.size());
  const int status = isal_inflate(&state);
  if (status != ISAL_DECOMP_OK && status != ISAL_END_INPUT) fail(fmt::format("invalid deflate stream, error {}", status));
  if (state.block_state != ISAL_BLOCK_FINISH) fail(no_end(state.avail_out, to.size()));
  // Bytes after the end of the stream may be in the bit buffer.
  const std::uint32_t rest = state.avail_in + static_cast<std::uint32_t>(state.read_in_length) / 8;
  if (rest != 0) fail(fmt::format("{} bytes follow the end of the stream", rest));
  return to.size() - state.avail_out;
}
#else
std::size_t inflated(std::span<const std::byte> from, std::span<std::byte> to, bool is_gzip) {
  z_stream stream{};
  if (inflateInit2(&stream, is_gzip ? 31 : 15) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(from.data()));
  stream.avail_in = static_cast<uInt>(from.size());
  stream.next_out = reinterpret_cast<Bytef*>(to.data());
  stream.avail_out = static_cast<uInt>(to.size());
  const int status = inflate(&stream, Z_FINISH);
  const std::size_t used = to.size() - stream.avail_out, rest = stream.avail_in;
  inflateEnd(&stream);
  if (status == Z_DATA_ERROR || status == Z_NEED_DICT) fail("invalid deflate stream");
  if (status != Z_STREAM_END) fail(no_end(to.size() - used, to.size()));
  if (rest != 0) fail(fmt::format("{} bytes follow the end of the stream", rest));
  return used;
}
#endif

std::size_t unpacked_zstd([[maybe_unused]] std::span<const std::byte> from, [[maybe_unused]] std::span<std::byte> to) {
#ifdef OSTEON_ZSTD
  const std::size_t used = ZSTD_decompress(to.data(), to.size(), from.data(), from.size());
  if (ZSTD_isError(used)) fail(ZSTD_getErrorName(used));
  return used;
#else
  fail("this build does not support zstd");
#endif
}

std::size_t without_checksum(std::span<const std::byte> from, std::span<std::byte> to) {
  std::uint32_t stated = 0;
  if (from.size() < checksum_bytes) fail("the checksum (CRC-32C) is missing");
  const auto values = from.first(from.size() - checksum_bytes);
  std::memcpy(&stated, values.data() + values.size(), checksum_bytes);
  if (crc32c(values) != stated) fail("its checksum (CRC-32C) is wrong");
  if (values.size() > to.size()) fail(fmt::format("it decodes to more than {} bytes", to.size()));
  std::copy(values.begin(), values.end(), to.begin());
  return values.size();
}

// Reverse the filter `shuffle`: first the first bytes of all values, then the second bytes, and so on.
std::size_t unshuffled(std::span<const std::byte> from, std::span<std::byte> to, std::size_t width) {
  if (from.size() > to.size()) fail(fmt::format("it decodes to more than {} bytes", to.size()));
  const std::size_t count = from.size() / width;
  for (std::size_t b = 0; b < width; ++b)
    for (std::size_t i = 0; i < count; ++i) to[i * width + b] = from[b * count + i];
  std::copy(from.begin() + static_cast<std::ptrdiff_t>(count * width), from.end(),
            to.begin() + static_cast<std::ptrdiff_t>(count * width));
  return from.size();
}

}  // namespace

std::size_t chunk_decoder::apply(codec by, std::span<const std::byte> from, std::span<std::byte> to) const {
  if (std::max(from.size(), to.size()) > std::numeric_limits<std::uint32_t>::max())
    fail(fmt::format("chunks of {} bytes exceed the limit of 4 GiB", std::max(from.size(), to.size())));
  switch (by) {
    case codec::zlib:
    case codec::gzip:
      return inflated(from, to, by == codec::gzip);
    case codec::zstd:
      return unpacked_zstd(from, to);
    case codec::shuffle:
      return unshuffled(from, to, width_);
    case codec::crc32c:
      break;
  }
  return without_checksum(from, to);
}

bool can_read_zstd() {
#ifdef OSTEON_ZSTD
  return true;
#else
  return false;
#endif
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t value = 0xFFFFFFFFU;
  for (const std::byte b : bytes) value = value >> 8 ^ crc32c_table[(value ^ static_cast<std::uint32_t>(b)) & 255U];
  return value ^ 0xFFFFFFFFU;
}

void chunk_decoder::decode(std::span<const std::byte> from, std::span<std::byte> to) {
  for (std::size_t i = codecs_.size(); i-- > 1;) {
    std::vector<std::byte>& result = between_[i % 2];
    result.resize(most_encoded(to.size()));
    from = std::span(result).first(apply(codecs_[i], from, result));
  }
  if (codecs_.empty()) {
    if (from.size() != to.size()) fail(fmt::format("it has {} bytes instead of {}", from.size(), to.size()));
    std::copy(from.begin(), from.end(), to.begin());
  } else if (const std::size_t used = apply(codecs_[0], from, to); used != to.size()) {
    fail(fmt::format("it decodes to {} bytes instead of {}", used, to.size()));
  }
}

}  // namespace osteon::io::zarr
