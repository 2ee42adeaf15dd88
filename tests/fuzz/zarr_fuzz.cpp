#include <omp.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/io/images/zarr_array.hpp>

namespace {

// A folder of this process, removed at its end.
const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::string name = (std::filesystem::temp_directory_path() / "osteon-zarr-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::path(name);
  }();
  static const int is_registered = std::atexit([] { std::filesystem::remove_all(folder()); });
  (void)is_registered;
  return made;
}

}  // namespace

// The first byte of the input selects the codecs, and the rest is the file of a chunk or shard.
// Oracle: the reader returns all planes, or throws only data_error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace osteon;
  using io::zarr::codec;
  if (size == 0) return 0;
  static const bool is_serial = (omp_set_num_threads(1), true);  // waiting threads would dominate the time of such chunks
  (void)is_serial;
  std::ofstream(folder() / "0.0.0", std::ios::binary)
      .write(reinterpret_cast<const char*>(data) + 1, static_cast<std::streamsize>(size - 1));
  io::zarr::layout of;
  of.folder = folder().string();
  of.shape = {5, 4, 6};
  of.chunks = {8, 4, 8};
  of.stored_axes = {0, 1, 2};
  of.z_y_x = {0, 1, 2};
  of.type = voxel::scalar::u2;
  of.is_big_endian = (data[0] & 16) != 0;
  of.fill.resize(2);
  of.separator = ".";
  const std::array<std::vector<codec>, 6> codecs{
      std::vector<codec>{},         {codec::gzip}, {codec::zstd}, {codec::zlib, codec::crc32c}, {codec::crc32c, codec::gzip},
      {codec::shuffle, codec::zlib}};
  of.codecs = codecs[(data[0] & 15) % codecs.size()];
  if ((data[0] & 32) != 0) {
    of.chunks = {4, 2, 4};
    of.by_shards = io::zarr::shards{{2, 2, 2}, (data[0] & 64) != 0, (data[0] & 128) != 0};
  }
  try {
    const voxel::image_planes image = io::zarr::open_array(of);
    voxel::image block;
    image.read_into(block, 0, image.shape.z);
    if (block.bytes.size() != 5 * 4 * 6 * 2) std::abort();
  } catch (const data_error&) {
  }
  return 0;
}
