#include <osteon/io/images/zarr_array.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/byte_order.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <span>

namespace osteon::io::zarr {
namespace {

using places = std::vector<std::int64_t>;  // by axis

constexpr std::uint64_t absent = chunk_place{}.offset;
constexpr std::int64_t most_files = std::int64_t{1} << 22;

std::int64_t product(const places& counts) {
  std::int64_t all = 1;
  for (const std::int64_t n : counts)
    if (__builtin_mul_overflow(all, n, &all)) throw data_error("the array of Zarr has more than 2^63 - 1 values");
  return all;
}

places quotients(const places& of, const places& by) {
  places result;
  for (std::size_t a = 0; a < of.size(); ++a) result.push_back((of[a] + by[a] - 1) / by[a]);
  return result;
}

// Number of an element of an array in C order.
std::int64_t number_of(const places& at, const places& counts) {
  std::int64_t number = 0;
  for (std::size_t a = 0; a < at.size(); ++a) number = number * counts[a] + at[a];
  return number;
}

class array_reader {
 public:
  explicit array_reader(layout of) : of_(std::move(of)) {
    check();
    counts_ = quotients(of_.shape, of_.chunks);
    file_counts_ = of_.by_shards ? quotients(counts_, of_.by_shards->counts) : counts_;
    if (!of_.places.empty()) {
      if (std::ssize(of_.places) != product(counts_) || of_.by_shards)
        throw data_error(fmt::format("'{}' has {} chunks instead of {}", of_.folder, of_.places.size(), product(counts_)));
      file_counts_.assign(counts_.size(), 1);
    }
    if (product(file_counts_) > most_files)
      throw data_error(
          fmt::format("'{}' has {} files of chunks; the limit is {}", of_.folder, product(file_counts_), most_files));
    width_ = voxel::size_of(of_.type);
    chunk_bytes_ = static_cast<std::size_t>(product(of_.chunks)) * width_;
    stamp_.resize(static_cast<std::size_t>(product(file_counts_)));
    places stride(of_.shape.size());
    std::int64_t step = 1;
    for (auto a = of_.stored_axes.rbegin(); a != of_.stored_axes.rend(); ++a) {
      stride[*a] = step;
      step *= of_.chunks[*a];
    }
    for (int a = 0; a < 3; ++a) {
      const std::size_t axis = of_.z_y_x[static_cast<std::size_t>(a)];
      shape_[a] = of_.shape[axis];
      chunk_[a] = of_.chunks[axis];
      chunks_[a] = counts_[axis];
      stride_[a] = stride[axis];
    }
  }

  index3 shape() const { return shape_; }
  voxel::scalar type() const { return of_.type; }

  void read(std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
    const std::size_t plane = static_cast<std::size_t>(shape_.y * shape_.x) * width_;
    for (std::int64_t z = first; z < first + planes; ++z) {
      if (const std::int64_t layer = z / chunk_.z; layer != layer_) load(layer);
      std::memcpy(values.data() + static_cast<std::size_t>(z - first) * plane,
                  voxels_.data() + static_cast<std::size_t>(z - layer_ * chunk_.z) * plane, plane);
    }
  }

 private:
  void check() const {
    const std::size_t axes = of_.shape.size();
    const auto is_axis = [&](std::size_t a) { return a < axes; };
    const auto are_positive = [&](const places& all) {
      return all.size() == axes && std::all_of(all.begin(), all.end(), [](std::int64_t n) { return n > 0; });
    };
    std::vector<bool> is_stored(axes), is_used(axes);
    bool good = axes >= 3 && are_positive(of_.shape) && are_positive(of_.chunks) && of_.z_y_x.size() == 3 &&
                of_.stored_axes.size() == axes && of_.fill.size() == voxel::size_of(of_.type) &&
                (!of_.by_shards || are_positive(of_.by_shards->counts));
    for (const std::size_t a : of_.stored_axes)
      if (good) good = is_axis(a) && !is_stored[a], is_stored[good ? a : 0] = true;
    for (const std::size_t a : of_.z_y_x)
      if (good) good = is_axis(a) && !is_used[a], is_used[good ? a : 0] = true;
    for (std::size_t a = 0; good && a < axes; ++a) good = is_used[a] || of_.shape[a] == 1;
    if (!good) throw data_error(fmt::format("'{}' does not describe an array of three axes", of_.folder));
    product(of_.shape);
    product(of_.chunks);
  }

  // Load a layer of chunks, of the thickness of a chunk.
  void load(std::int64_t layer) {
    layer_ = -1;  // if an exception interrupts the loading
    planes_ = std::min(chunk_.z, shape_.z - layer * chunk_.z);
    voxels_.resize(static_cast<std::size_t>(planes_ * shape_.y * shape_.x) * width_);
    const std::int64_t count = chunks_.y * chunks_.x;
    comm::outcome outcome;  // an exception must not leave the parallel region
    std::int64_t failed_chunk = count;
    std::atomic<std::int64_t> next = 0;
#pragma omp parallel if (count > 1)
    {
      std::int64_t i = count;
      const comm::outcome mine = comm::outcome_of([&] {
        chunk_decoder decoder(of_.codecs, width_);
        std::vector<std::byte> encoded, chunk(chunk_bytes_);
        for (i = next++; i < count; i = next++) load_chunk({layer, i / chunks_.x, i % chunks_.x}, decoder, encoded, chunk);
      });
#pragma omp critical
      if (mine.failed && i <= failed_chunk) {  // of several damaged chunks, report the first one
        outcome = mine;
        failed_chunk = i;
      }
    }
    if (outcome.failed) throw_error(outcome.kind, outcome.text);
    layer_ = layer;
  }

  void load_chunk(index3 at, chunk_decoder& decoder, std::vector<std::byte>& encoded, std::vector<std::byte>& chunk) {
    places place(of_.shape.size());
    for (int a = 0; a < 3; ++a) place[of_.z_y_x[static_cast<std::size_t>(a)]] = at[a];
    std::string name;
    const bool is_there = read_encoded(place, encoded, name);
    if (is_there) {
      try {
        decoder.decode(encoded, chunk);
      } catch (const data_error& e) {
        throw data_error(fmt::format("{} is truncated or damaged: {}; copy it again", name, e.what()));
      }
    } else {
      for (std::size_t i = 0; i < chunk.size(); i += width_) std::memcpy(chunk.data() + i, of_.fill.data(), width_);
    }
    if (of_.is_big_endian) reverse_bytes(chunk, width_);
    place_chunk(at, chunk);
  }

  void place_chunk(index3 at, const std::vector<std::byte>& chunk) {
    const std::int64_t y0 = at.y * chunk_.y, x0 = at.x * chunk_.x;
    const std::int64_t rows = std::min(chunk_.y, shape_.y - y0), voxels = std::min(chunk_.x, shape_.x - x0);
    const auto width = static_cast<std::int64_t>(width_);
    for (std::int64_t z = 0; z < planes_; ++z)
      for (std::int64_t y = 0; y < rows; ++y) {
        const std::byte* from = chunk.data() + (z * stride_.z + y * stride_.y) * width;
        std::byte* to = voxels_.data() + ((z * shape_.y + y0 + y) * shape_.x + x0) * width;
        if (stride_.x == 1) {
          std::memcpy(to, from, static_cast<std::size_t>(voxels * width));
          continue;
        }
        for (std::int64_t x = 0; x < voxels; ++x) std::memcpy(to + x * width, from + x * stride_.x * width, width_);
      }
  }

  // Read the encoded bytes of a chunk. Returns false if the chunk is missing.
  bool read_encoded(const places& at, std::vector<std::byte>& encoded, std::string& name) {
    const bool is_one_file = !of_.places.empty();
    places file = is_one_file ? places(at.size()) : at, inner(at.size());
    if (of_.by_shards)
      for (std::size_t a = 0; a < at.size(); ++a) {
        file[a] = at[a] / of_.by_shards->counts[a];
        inner[a] = at[a] % of_.by_shards->counts[a];
      }
    const std::string path =
        is_one_file ? of_.folder : fmt::format("{}/{}{}", of_.folder, of_.prefix, fmt::join(file, of_.separator));
    name = fmt::format("'{}'", path);
    const file_descriptor opened(path, O_RDONLY);
    struct stat found{};
    const bool is_missing = opened < 0 && errno == ENOENT && !is_one_file;
    if (!is_missing && (opened < 0 || ::fstat(opened, &found) != 0))
      throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    require_unchanged(number_of(file, file_counts_), is_missing ? nullptr : &found, path);
    if (is_missing) return false;
    const auto size = static_cast<std::uint64_t>(found.st_size);
    std::uint64_t offset = 0, length = size;
    if (of_.by_shards || is_one_file) {
      const chunk_place entry = is_one_file ? of_.places[static_cast<std::size_t>(number_of(at, counts_))]
                                            : entry_of(opened, size, number_of(inner, of_.by_shards->counts), path);
      if (entry.offset == absent) return false;
      offset = entry.offset;
      length = entry.length;
      name = fmt::format("chunk [{}] of '{}'", fmt::join(is_one_file ? at : inner, ", "), path);
    }
    if (length > chunk_decoder::most_encoded(chunk_bytes_))
      throw data_error(
          fmt::format("{} has {} bytes, too many for a chunk of {} bytes; copy it again", name, length, chunk_bytes_));
    encoded.resize(static_cast<std::size_t>(length));
    if (read_at(opened, encoded.data(), std::ssize(encoded), static_cast<std::int64_t>(offset)) != std::ssize(encoded))
      throw data_error(fmt::format("{} cannot be read to its end; copy it again", name));
    return true;
  }

  // Entry of a chunk in the table of a shard.
  chunk_place entry_of(int opened, std::uint64_t size, std::int64_t number, const std::string& path) const {
    const shards& s = *of_.by_shards;
    const auto entries = static_cast<std::uint64_t>(product(s.counts));
    const std::uint64_t length = entries * sizeof(chunk_place) + (s.has_checksum ? sizeof(std::uint32_t) : 0);
    if (size < length)
      throw data_error(fmt::format("the shard '{}' has {} bytes, fewer than its table of {} bytes requires; copy it again",
                                   path, size, length));
    std::vector<std::byte> table(static_cast<std::size_t>(length));
    if (read_at(opened, table.data(), std::ssize(table), static_cast<std::int64_t>(s.is_index_last ? size - length : 0)) !=
        std::ssize(table))
      throw data_error(fmt::format("the table of the shard '{}' cannot be read; copy it again", path));
    if (s.has_checksum) {
      std::uint32_t stated = 0;
      const auto entries_of_it = std::span(table).first(table.size() - sizeof(stated));
      std::memcpy(&stated, table.data() + entries_of_it.size(), sizeof(stated));
      if (crc32c(entries_of_it) != stated)
        throw data_error(fmt::format("the table of the shard '{}' has a wrong checksum (CRC-32C); copy it again", path));
    }
    chunk_place entry;
    std::memcpy(&entry, table.data() + static_cast<std::size_t>(number) * sizeof(entry), sizeof(entry));
    const std::uint64_t begin = s.is_index_last ? 0 : length, end = s.is_index_last ? size - length : size;
    if (entry.offset != absent && (entry.offset < begin || entry.offset > end || entry.length > end - entry.offset))
      throw data_error(fmt::format("the table of the shard '{}' names bytes outside of the file; copy it again", path));
    return entry;
  }

  // The passes of an import read each file several times. All passes must read the same bytes.
  void require_unchanged(std::int64_t file, const struct stat* found, const std::string& path) {
    std::uint64_t stamp = 1;
    if (found != nullptr)
      stamp = (static_cast<std::uint64_t>(found->st_mtim.tv_sec) * 1000000000U +
               static_cast<std::uint64_t>(found->st_mtim.tv_nsec)) *
                  31 +
              static_cast<std::uint64_t>(found->st_size) + 2;
    std::uint64_t before = 0;
#pragma omp atomic read
    before = stamp_[static_cast<std::size_t>(file)];
    if (before != 0 && before != stamp)
      throw data_error(fmt::format("'{}' changes while it is imported; import it again when it is complete", path));
#pragma omp atomic write
    stamp_[static_cast<std::size_t>(file)] = stamp;
  }

  layout of_;
  places counts_, file_counts_;
  std::size_t width_ = 1, chunk_bytes_ = 0;
  index3 shape_, chunk_, chunks_, stride_;  // z, y, x
  std::vector<std::uint64_t> stamp_;        // of each file; 0: not read yet
  std::int64_t layer_ = -1, planes_ = 0;    // the layer in `voxels_`
  std::vector<std::byte> voxels_;
};

}  // namespace

voxel::image_planes open_array(const layout& of) {
  const auto reader = std::make_shared<array_reader>(of);
  return {reader->shape(), reader->type(), [reader](std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
            reader->read(first, planes, values);
          }};
}

}  // namespace osteon::io::zarr
