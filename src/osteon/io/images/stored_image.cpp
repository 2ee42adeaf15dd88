#include <osteon/io/images/stored_image.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/io/byte_order.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <osteon/io/images/zarr_array.hpp>

namespace osteon::io {
namespace {

using json = nlohmann::ordered_json;

voxel::scalar type_of(const std::string& name) {
  for (int i = 0; i < 8; ++i)
    if (const auto type = static_cast<voxel::scalar>(i); voxel::name_of(type) == name) return type;
  throw data_error(fmt::format("images with values of type '{}' cannot be read without a copy", name));
}

// Contiguous values of one file.
class values_file {
 public:
  explicit values_file(const json& d)
      : path_(d.at("path").get<std::string>()),
        offset_(d.at("offset").get<std::int64_t>()),
        width_(voxel::size_of(type_of(d.at("type").get<std::string>()))),
        is_big_endian_(d.at("is_big_endian").get<bool>()),
        file_(path_, O_RDONLY) {
    if (file_ < 0 || ::fstat(file_, &first_) != 0)
      throw data_error(fmt::format("cannot read '{}': {}", path_, std::strerror(errno)));
  }

  void require_size(index3 shape) const {
    std::int64_t needed = static_cast<std::int64_t>(width_);
    bool fits = offset_ >= 0;
    for (int a = 0; a < 3; ++a) fits = fits && shape[a] > 0 && !__builtin_mul_overflow(needed, shape[a], &needed);
    if (!fits || __builtin_add_overflow(needed, offset_, &needed) || needed > first_.st_size)
      throw data_error(fmt::format("'{}' has {} bytes, fewer than {} x {} x {} values of {} bytes require; copy it again",
                                   path_, static_cast<std::int64_t>(first_.st_size), shape.z, shape.y, shape.x, width_));
  }

  // The passes of an import read the file several times. All passes must read the same bytes.
  void read(std::int64_t first, std::span<std::byte> values) const {
    struct stat now{};
    const bool is_read = read_at(file_, values.data(), std::ssize(values),
                                 offset_ + first * static_cast<std::int64_t>(width_)) == std::ssize(values);
    if (::fstat(file_, &now) != 0 || now.st_size != first_.st_size || now.st_mtim.tv_sec != first_.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != first_.st_mtim.tv_nsec)
      throw data_error(fmt::format("'{}' changes while it is imported; import it again when it is complete", path_));
    if (!is_read) throw data_error(fmt::format("'{}' cannot be read to its end; copy it again", path_));
    if (is_big_endian_) reverse_bytes(values, width_);
  }

 private:
  std::string path_;
  std::int64_t offset_;
  std::size_t width_;
  bool is_big_endian_;
  file_descriptor file_;
  struct stat first_{};
};

voxel::image_planes open_values(const json& d) {
  const auto file = std::make_shared<const values_file>(d);
  const json& lengths = d.at("shape");
  const index3 shape{lengths.at(0), lengths.at(1), lengths.at(2)};
  file->require_size(shape);
  return {shape, type_of(d.at("type").get<std::string>()),
          [file, plane = shape.y * shape.x](std::int64_t first, std::int64_t, std::span<std::byte> values) {
            file->read(first * plane, values);
          }};
}

zarr::codec codec_of(const std::string& name) {
  if (name == "zlib") return zarr::codec::zlib;
  if (name == "gzip") return zarr::codec::gzip;
  if (name == "crc32c") return zarr::codec::crc32c;
  if (name == "zstd") return zarr::codec::zstd;
  if (name == "shuffle") return zarr::codec::shuffle;
  throw data_error(fmt::format("chunks encoded by '{}' cannot be read without a copy", name));
}

std::vector<std::byte> bytes_of_text(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, status] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (status != std::errc() || end != text.data() + i + 2)
      throw data_error(fmt::format("the fill value '{}' is not hexadecimal", text));
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

// The chunks of Zarr, or of one file.
voxel::image_planes open_chunks(const json& d, bool is_one_file) {
  zarr::layout of;
  d.at(is_one_file ? "path" : "folder").get_to(of.folder);
  d.at("shape").get_to(of.shape);
  d.at("chunks").get_to(of.chunks);
  d.at("stored_axes").get_to(of.stored_axes);
  d.at("z_y_x").get_to(of.z_y_x);
  of.type = type_of(d.at("type").get<std::string>());
  d.at("is_big_endian").get_to(of.is_big_endian);
  for (const json& name : d.at("codecs")) of.codecs.push_back(codec_of(name.get<std::string>()));
  of.fill = bytes_of_text(d.at("fill").get<std::string>());
  if (is_one_file) {
    for (const json& place : d.at("places")) {
      const auto offset = place.at(0).get<std::int64_t>(), length = place.at(1).get<std::int64_t>();
      of.places.push_back(offset < 0 || length < 0
                              ? zarr::chunk_place{}
                              : zarr::chunk_place{static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(length)});
    }
    return zarr::open_array(of);
  }
  d.at("prefix").get_to(of.prefix);
  d.at("separator").get_to(of.separator);
  if (const json& shards = d.at("shards"); !shards.is_null()) {
    zarr::shards& by = of.by_shards.emplace();
    shards.at("counts").get_to(by.counts);
    shards.at("is_index_last").get_to(by.is_index_last);
    shards.at("has_checksum").get_to(by.has_checksum);
  }
  return zarr::open_array(of);
}

}  // namespace

voxel::image_planes open_stored_image(const json& description) {
  try {
    const auto kind = description.at("kind").get<std::string>();
    if (kind == "values") return open_values(description);
    if (kind == "zarr" || kind == "chunks") return open_chunks(description, kind == "chunks");
    throw data_error(fmt::format("images of the kind '{}' cannot be read without a copy", kind));
  } catch (const json::exception& e) {
    throw data_error(fmt::format("the description of an image is invalid: {}", e.what()));
  }
}

}  // namespace osteon::io
