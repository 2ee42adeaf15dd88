#include <osteon/io/chunked/encode_chunks.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <osteon/base/xxh3.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/chunk_codec.hpp>

namespace osteon::io {

encoded_piece encode_chunks(const plane_variable& v, const storage& options, plane_range planes,
                            std::span<const std::byte> values) {
  const std::int64_t plane = v.bytes_per_plane(), k = v.chunk_planes, count = (planes.size() + k - 1) / k;
  encoded_piece result;
  result.chunks.resize(static_cast<std::size_t>(count));
  result.bytes.resize(result.chunks.size());
  result.packed.resize(result.chunks.size());
  result.value_digests.resize(result.chunks.size() * digest_length);

  std::atomic<std::int64_t> next = 0;
  const auto encode_some = [&] {
    std::optional<chunk_encoder> encoder;
    for (std::int64_t i = next++; i < count; i = next++) {
      const std::size_t place = static_cast<std::size_t>(i);
      stored_chunk& chunk = result.chunks[place];
      chunk.first_plane = planes.begin + i * k;
      const std::int64_t in_chunk = std::min(k, planes.end - chunk.first_plane);
      const auto of_chunk =
          values.subspan(static_cast<std::size_t>(i * k * plane), static_cast<std::size_t>(in_chunk * plane));
      const std::string digest = xxh3_of(of_chunk);
      std::copy(digest.begin(), digest.end(), result.value_digests.begin() + i * static_cast<std::int64_t>(digest_length));
      std::copy(digest.begin(), digest.end(), chunk.digest.begin());
      result.bytes[place] = of_chunk;
      if (options.method != compression::none) {
        if (!encoder) encoder.emplace(options, v.element_bytes, static_cast<std::size_t>(k * plane));
        const std::size_t bound = encoder->bound();
        result.packed[place] = std::make_unique_for_overwrite<std::byte[]>(bound);
        const std::size_t used = encoder->encode(of_chunk, {result.packed[place].get(), bound});
        result.bytes[place] = {result.packed[place].get(), used};
        const std::string packed_digest = xxh3_of(result.bytes[place]);
        std::copy(packed_digest.begin(), packed_digest.end(), chunk.digest.begin());
      }
      chunk.bytes = static_cast<std::int64_t>(result.bytes[place].size());
    }
  };

  comm::outcome outcome;  // an exception must not leave the parallel region
#pragma omp parallel if (count > 1)
  {
    const comm::outcome mine = comm::outcome_of(encode_some);
#pragma omp critical
    if (mine.failed) outcome = mine;
  }
  if (outcome.failed) throw_error(outcome.kind, outcome.text);
  return result;
}

}  // namespace osteon::io
