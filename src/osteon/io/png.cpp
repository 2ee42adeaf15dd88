#include <osteon/io/png.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/temporary_file.hpp>
#include <ostream>

// A picture is a stream of deflated rows, divided into independent strips. The filter of the first row of a strip does not
// use the row above, and zlib ends the strip at a byte boundary without a dictionary. Therefore strips can be concatenated,
// and only their checksums must be combined. @cite [PNG]

namespace osteon::io {

namespace {

constexpr int strip_rows = 64;
constexpr std::size_t channels = 4;

using bytes = std::vector<std::uint8_t>;

struct strip {
  bytes deflated;
  std::uint32_t adler = 1;    // checksum of the uncompressed data
  std::int64_t inflated = 0;  // size of the uncompressed data in bytes
};

// Prediction of the Paeth filter, in 16 bits for vectorisation.
std::int16_t paeth(std::int16_t left, std::int16_t above, std::int16_t corner) {
  const auto size = [](int v) { return static_cast<std::int16_t>(v < 0 ? -v : v); };
  const std::int16_t a = size(above - corner), b = size(left - corner), c = size(left + above - 2 * corner);
  const std::int16_t of_two = b <= c ? above : corner;
  return a <= b && a <= c ? left : of_two;
}

// Filter one row: subtract the prediction of each byte. @param above null for the first row of a strip
void apply(int filter, const std::uint8_t* row, const std::uint8_t* above, std::size_t size, std::uint8_t* to) {
  *to++ = static_cast<std::uint8_t>(filter);
  // For the first pixel, the Paeth filter predicts the value above.
  for (std::size_t i = 0; i < channels; ++i) to[i] = static_cast<std::uint8_t>(row[i] - (filter == 1 ? 0 : above[i]));
  if (filter == 1)
    for (std::size_t i = channels; i < size; ++i) to[i] = static_cast<std::uint8_t>(row[i] - row[i - channels]);
  else if (filter == 2)
    for (std::size_t i = channels; i < size; ++i) to[i] = static_cast<std::uint8_t>(row[i] - above[i]);
  else
    for (std::size_t i = channels; i < size; ++i)
      to[i] = static_cast<std::uint8_t>(row[i] - paeth(row[i - channels], above[i], above[i - channels]));
}

// Filter rows. For each row, the filter with the smallest sum of absolute values is selected, because this filter usually
// compresses best.
bytes filtered(std::span<const std::uint8_t> rows, std::size_t row_size) {
  bytes result;
  bytes candidate(row_size + 1), best(row_size + 1);
  for (std::size_t at = 0; at < rows.size(); at += row_size) {
    const std::uint8_t* const above = at == 0 ? nullptr : rows.data() + at - row_size;
    std::int64_t least = -1;
    for (const int filter : {1, 2, 4}) {
      if (filter > 1 && !above) break;
      apply(filter, rows.data() + at, above, row_size, candidate.data());
      std::int64_t sum = 0;
      for (std::size_t i = 1; i <= row_size; ++i) sum += std::abs(static_cast<std::int8_t>(candidate[i]));
      if (least >= 0 && sum >= least) continue;
      least = sum;
      best.swap(candidate);
    }
    result.insert(result.end(), best.begin(), best.end());
  }
  return result;
}

strip deflate_strip(std::span<const std::uint8_t> rows, std::size_t row_size, bool last) {
  bytes raw = filtered(rows, row_size);
  strip result;
  result.inflated = static_cast<std::int64_t>(raw.size());
  result.adler = static_cast<std::uint32_t>(adler32_z(1, raw.data(), raw.size()));
  z_stream stream{};
  constexpr int no_header = -15, memory = 9;
  // Z_RLE compresses filtered rows by runs and Huffman codes. A string search requires five times the time of Z_RLE for the
  // same compressed size.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, no_header, memory, Z_RLE) != Z_OK)
    throw machine_error("cannot initialise zlib: out of memory");
  result.deflated.resize(deflateBound(&stream, static_cast<uLong>(raw.size())) + 16);  // includes the flush marker
  stream.next_in = raw.data();
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = result.deflated.data();
  stream.avail_out = static_cast<uInt>(result.deflated.size());
  deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  result.deflated.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

// Deflate rows in strips and concatenate the strips.
strip deflate_rows(std::span<const std::uint8_t> rows, int width, bool last) {
  const std::size_t row_size = channels * static_cast<std::size_t>(width), strip_size = row_size * strip_rows;
  const auto count = static_cast<std::int64_t>((rows.size() + strip_size - 1) / strip_size);
  std::vector<strip> strips(static_cast<std::size_t>(count));
  std::string fault;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * strip_size;
    try {
      strips[static_cast<std::size_t>(i)] =
          deflate_strip(rows.subspan(at, std::min(strip_size, rows.size() - at)), row_size, last && i + 1 == count);
    } catch (const std::exception& e) {
#pragma omp critical
      fault = e.what();
    }
  }
  if (!fault.empty()) throw machine_error(fault);
  strip result;
  for (const strip& s : strips) {
    result.deflated.insert(result.deflated.end(), s.deflated.begin(), s.deflated.end());
    result.adler = static_cast<std::uint32_t>(adler32_combine(result.adler, s.adler, s.inflated));
    result.inflated += s.inflated;
  }
  return result;
}

void append(bytes& to, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(bytes& to, const char* type, std::span<const std::uint8_t> content) {
  append(to, static_cast<std::uint32_t>(content.size()));
  const std::size_t begin = to.size();
  to.insert(to.end(), type, type + 4);
  to.insert(to.end(), content.begin(), content.end());
  append(to, static_cast<std::uint32_t>(crc32_z(0, to.data() + begin, to.size() - begin)));
}

bytes file_of(int width, int height, std::span<const std::uint8_t> deflated, std::uint32_t adler) {
  bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, header, stream{0x78, 0x9c};
  append(header, static_cast<std::uint32_t>(width));
  append(header, static_cast<std::uint32_t>(height));
  header.insert(header.end(), {8, 6, 0, 0, 0});  // bit depth, RGBA, deflate, adaptive filters, not interlaced
  append_chunk(file, "IHDR", header);
  append_chunk(file, "sRGB", std::array<std::uint8_t, 1>{0});  // perceptual
  append_chunk(file, "IDAT", stream);
  constexpr std::size_t most = 1U << 30;  // the length of a chunk has 31 bits
  for (std::size_t at = 0; at < deflated.size(); at += most)
    append_chunk(file, "IDAT", deflated.subspan(at, std::min(most, deflated.size() - at)));
  bytes end;
  append(end, adler);
  append_chunk(file, "IDAT", end);
  append_chunk(file, "IEND", {});
  return file;
}

void write(const std::string& path, const bytes& content) {
  write_file(path, [&](std::ostream& to) {
    to.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  });
}

void check(int width, int height, int rows, std::size_t size) {
  if (width < 1 || height < 1 || size != channels * static_cast<std::size_t>(width) * static_cast<std::size_t>(rows))
    throw usage_error(fmt::format("{} bytes for {} rows of a picture of {} x {} pixels: must be 4 bytes per pixel", size,
                                  rows, width, height));
}

}  // namespace

void write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgba) {
  check(width, height, height, rgba.size());
  const strip all = deflate_rows(rgba, width, true);
  write(path, file_of(width, height, all.deflated, all.adler));
}

std::vector<int> png_rows(int height, int ranks) {
  const std::int64_t strips = (height + strip_rows - 1) / strip_rows;
  std::vector<int> first;
  for (std::int64_t r = 0; r <= ranks; ++r)
    first.push_back(static_cast<int>(std::min<std::int64_t>(height, strips * r / ranks * strip_rows)));
  return first;
}

void write_png(MPI_Comm comm, const std::string& path, int width, int height, std::span<const std::uint8_t> own_rows) {
  const auto rank = static_cast<std::size_t>(comm::rank(comm)), ranks = static_cast<std::size_t>(comm::size(comm));
  strip own;
  comm::collectively(comm, [&] {
    const auto first = png_rows(height, static_cast<int>(ranks));
    check(width, height, first[rank + 1] - first[rank], own_rows.size());
    own = deflate_rows(own_rows, width, first[rank + 1] == height);
  });
  struct part {
    std::int64_t size, inflated, adler;
  } const mine{static_cast<std::int64_t>(own.deflated.size()), own.inflated, own.adler};
  std::vector<part> parts(ranks);
  MPI_Allgather(&mine, 3, MPI_INT64_T, parts.data(), 3, MPI_INT64_T, comm);
  std::vector<int> counts, places;
  std::int64_t sum = 0;
  strip all;
  for (const part& p : parts) {
    counts.push_back(static_cast<int>(p.size));
    places.push_back(static_cast<int>(sum));
    sum += p.size;
    all.adler = static_cast<std::uint32_t>(adler32_combine(all.adler, static_cast<uLong>(p.adler), p.inflated));
  }
  comm::collectively(comm, [&] {
    if (sum > INT32_MAX)
      throw usage_error(fmt::format("the compressed picture ({} bytes) exceeds the limit of {} bytes", sum, INT32_MAX));
    if (rank == 0) all.deflated.resize(static_cast<std::size_t>(sum));
  });
  MPI_Gatherv(own.deflated.data(), static_cast<int>(own.deflated.size()), MPI_UINT8_T, all.deflated.data(), counts.data(),
              places.data(), MPI_UINT8_T, 0, comm);
  comm::collectively(comm, [&] {
    if (rank == 0) write(path, file_of(width, height, all.deflated, all.adler));
  });
}

}  // namespace osteon::io
