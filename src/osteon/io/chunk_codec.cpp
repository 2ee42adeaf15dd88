#include <osteon/io/chunk_codec.hpp>

#include <zlib.h>
#ifdef OSTEON_ISAL
#include <isa-l/igzip_lib.h>
#endif
#ifdef OSTEON_ZSTD
#include <zstd.h>
#endif

#include <algorithm>
#include <cstring>
#include <osteon/base/error.hpp>
#include <vector>

namespace osteon::io {
namespace {

#ifdef OSTEON_ZSTD
/// Level -3 requires 60 % of the time of level 1 and yields 14 % more bytes than level 1. The gain of level 1 is small,
/// because the low bytes of results are incompressible.
constexpr int fast_zstd_level = -3;
#endif

template <class To, class From>
To* bytes_of(From* p) {
  return reinterpret_cast<To*>(p);
}

/// Deflate by zlib. The function returns the number of output bytes, or 0 if the output does not fit.
std::size_t deflate_by_zlib(std::span<const std::byte> from, std::span<std::byte> to, int level) {
  uLongf used = to.size();
  const int status = compress2(bytes_of<Bytef>(to.data()), &used, bytes_of<const Bytef>(from.data()), from.size(), level);
  return status == Z_OK ? used : 0;
}

#ifdef OSTEON_ISAL
std::size_t deflate_by_isal(std::span<const std::byte> from, std::span<std::byte> to, std::span<std::uint8_t> work) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.level = 1;
  stream.level_buf = work.data();
  stream.level_buf_size = static_cast<std::uint32_t>(work.size());
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = bytes_of<std::uint8_t>(const_cast<std::byte*>(from.data()));  // ISA-L does not modify the input
  stream.avail_in = static_cast<std::uint32_t>(from.size());
  stream.next_out = bytes_of<std::uint8_t>(to.data());
  stream.avail_out = static_cast<std::uint32_t>(to.size());
  if (isal_deflate(&stream) != COMP_OK || stream.internal_state.state != ZSTATE_END) return 0;
  return stream.total_out;
}
#endif

}  // namespace

struct chunk_encoder::state {
  storage options;
  std::int64_t element_bytes = 1;
  std::vector<std::byte> padded, shuffled;
  std::size_t chunk_bytes = 0;
#ifdef OSTEON_ISAL
  std::vector<std::uint8_t> work = std::vector<std::uint8_t>(ISAL_DEF_LVL1_DEFAULT);
#endif
#ifdef OSTEON_ZSTD
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd{nullptr, ZSTD_freeCCtx};
#endif
};

bool can_write_zstd() {
#ifdef OSTEON_ZSTD
  return true;
#else
  return false;
#endif
}

void shuffle(std::span<const std::byte> values, std::int64_t element_bytes, std::span<std::byte> to) {
  const std::size_t width = static_cast<std::size_t>(element_bytes), count = values.size() / width;
  if (width != sizeof(std::uint32_t)) {
    for (std::size_t b = 0; b < width; ++b)
      for (std::size_t i = 0; i < count; ++i) to[b * count + i] = values[i * width + b];
    return;
  }
  // Blocks fit into the L1 cache; the inner loops are vectorised.
  constexpr std::size_t block = 2048;
  std::uint32_t element[block];
  for (std::size_t at = 0; at < count; at += block) {
    const std::size_t n = std::min(block, count - at);
    std::memcpy(element, values.data() + width * at, width * n);
    for (unsigned b = 0; b < 4; ++b) {
      std::byte* const plane = to.data() + b * count + at;  // little-endian: byte 0 is the lowest byte
      for (std::size_t i = 0; i < n; ++i) plane[i] = static_cast<std::byte>(element[i] >> (8 * b));
    }
  }
}

chunk_encoder::chunk_encoder(const storage& options, std::int64_t element_bytes, std::size_t chunk_bytes)
    : state_(std::make_unique<state>()) {
  state_->options = options;
  state_->element_bytes = element_bytes;
  state_->chunk_bytes = chunk_bytes;
  if (element_bytes > 1) state_->shuffled.resize(chunk_bytes);
#ifdef OSTEON_ZSTD
  if (options.method != compression::zstd) return;
  state_->zstd.reset(ZSTD_createCCtx());
  if (!state_->zstd) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(state_->zstd.get(), ZSTD_c_compressionLevel, options.level.value_or(fast_zstd_level));
  ZSTD_CCtx_setParameter(state_->zstd.get(), ZSTD_c_checksumFlag, 1);  // every reader detects damage, as with zlib
#endif
}

chunk_encoder::~chunk_encoder() = default;

std::size_t chunk_encoder::bound() const {
#ifdef OSTEON_ZSTD
  if (state_->options.method == compression::zstd) return ZSTD_compressBound(state_->chunk_bytes);
#endif
  return compressBound(state_->chunk_bytes);
}

std::size_t chunk_encoder::encode(std::span<const std::byte> values, std::span<std::byte> to) {
  state& s = *state_;
  if (values.size() < s.chunk_bytes) {
    s.padded.assign(s.chunk_bytes, std::byte{});
    std::copy(values.begin(), values.end(), s.padded.begin());
    values = s.padded;
  }
  if (s.element_bytes > 1) {
    shuffle(values, s.element_bytes, s.shuffled);
    values = s.shuffled;
  }
  std::size_t used = 0;
#ifdef OSTEON_ZSTD
  if (s.options.method == compression::zstd) {
    used = ZSTD_compress2(s.zstd.get(), to.data(), to.size(), values.data(), values.size());
    if (ZSTD_isError(used)) throw machine_error("zstd cannot compress a chunk: " + std::string(ZSTD_getErrorName(used)));
    return used;
  }
#endif
  const int level = s.options.level.value_or(default_level);
#ifdef OSTEON_ISAL
  if (level == 1) used = deflate_by_isal(values, to, s.work);
#endif
  if (used == 0) used = deflate_by_zlib(values, to, level);
  if (used == 0) throw machine_error("zlib cannot deflate a chunk; choose another compression");
  return used;
}

}  // namespace osteon::io
