#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/io/images/stored_image.hpp>
#include <osteon/io/images/zarr_array.hpp>

namespace zarr_test {

using namespace osteon;
using io::zarr::codec;
namespace fs = std::filesystem;

class zarr : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  // An array of 5 x 3 x 4 values of two bytes in chunks of 2 x 3 x 3.
  io::zarr::layout layout() const {
    io::zarr::layout of;
    of.folder = folder_.string();
    of.shape = {5, 3, 4};
    of.chunks = {2, 3, 3};
    of.stored_axes = {0, 1, 2};
    of.z_y_x = {0, 1, 2};
    of.type = voxel::scalar::u2;
    of.fill = {std::byte{7}, std::byte{1}};
    of.separator = ".";
    return of;
  }

  // Value of a voxel, distinct for each voxel.
  static std::uint16_t value_at(std::int64_t z, std::int64_t y, std::int64_t x) {
    return static_cast<std::uint16_t>(1000 * z + 100 * y + x + 1);
  }

  // Bytes of the chunk at a position of the grid, complete also at the borders.
  static std::string chunk_at(std::int64_t z, std::int64_t x, bool is_big_endian = false) {
    std::string bytes;
    for (std::int64_t k = 0; k < 2; ++k)
      for (std::int64_t j = 0; j < 3; ++j)
        for (std::int64_t i = 0; i < 3; ++i) {
          const std::uint16_t v = value_at(2 * z + k, j, 3 * x + i);
          const char low = static_cast<char>(v & 255), high = static_cast<char>(v >> 8);
          bytes += is_big_endian ? std::string{high, low} : std::string{low, high};
        }
    return bytes;
  }

  fs::path folder_ = fs::temp_directory_path() / ("osteon_zarr_" + std::to_string(::getpid()));
};

std::string zlib_of(const std::string& bytes) {
  std::string packed(compressBound(bytes.size()), '\0');
  uLongf size = packed.size();
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6);
  packed.resize(size);
  return packed;
}

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string checksum_of(const std::string& bytes) { return little(io::zarr::crc32c(std::as_bytes(std::span(bytes))), 4); }

std::uint16_t read_at(const voxel::image& block, std::int64_t z, std::int64_t y, std::int64_t x) {
  std::uint16_t value = 0;
  std::memcpy(&value, block.bytes.data() + 2 * ((z * block.shape.y + y) * block.shape.x + x), 2);
  return value;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const data_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

// Oracle: the check value of CRC-32C, and RFC 3720, B.4: 32 bytes of zeros.
TEST_F(zarr, crc32c_has_its_check_values) {
  const std::string digits = "123456789", zeros(32, '\0');
  EXPECT_EQ(io::zarr::crc32c(std::as_bytes(std::span(digits))), 0xE3069283U);
  EXPECT_EQ(io::zarr::crc32c(std::as_bytes(std::span(zeros))), 0x8A9136AAU);
}

// Oracle: the formula of the values; a missing chunk has the fill value 0x0107.
TEST_F(zarr, reads_chunks_of_each_codec_and_byte_order) {
  for (const bool is_packed : {false, true})
    for (const bool is_big_endian : {false, true}) {
      io::zarr::layout of = layout();
      of.is_big_endian = is_big_endian;
      if (is_big_endian) std::swap(of.fill[0], of.fill[1]);
      if (is_packed) of.codecs = {codec::zlib, codec::crc32c};
      for (int z = 0; z < 3; ++z)
        for (int x = 0; x < 2; ++x) {
          if (z == 1 && x == 1) continue;
          std::string bytes = chunk_at(z, x, is_big_endian);
          if (is_packed) bytes = zlib_of(bytes), bytes += checksum_of(bytes);
          write(std::to_string(z) + ".0." + std::to_string(x), bytes);
        }
      const voxel::image_planes image = io::zarr::open_array(of);
      ASSERT_EQ(image.shape, (index3{5, 3, 4}));
      voxel::image block;
      for (const auto& [first, planes] : {std::pair{0, 5}, {3, 2}, {1, 3}}) {
        image.read_into(block, first, planes);
        for (std::int64_t z = 0; z < planes; ++z)
          for (std::int64_t y = 0; y < 3; ++y)
            for (std::int64_t x = 0; x < 4; ++x)
              ASSERT_EQ(read_at(block, z, y, x), (first + z) / 2 == 1 && x == 3 ? 0x0107 : value_at(first + z, y, x));
      }
    }
}

// Oracle: the formula of the values, for an array with the axes x, (one channel), z, y and chunks stored as y, x, z.
TEST_F(zarr, finds_axes_by_name_and_transposed_chunks) {
  io::zarr::layout of = layout();
  of.shape = {4, 1, 5, 3};
  of.chunks = {4, 1, 5, 3};
  of.z_y_x = {2, 3, 0};
  of.stored_axes = {3, 0, 1, 2};
  std::string bytes;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x)
      for (int z = 0; z < 5; ++z) bytes += little(value_at(z, y, x), 2);
  write("0.0.0.0", bytes);
  const voxel::image_planes image = io::zarr::open_array(of);
  ASSERT_EQ(image.shape, (index3{5, 3, 4}));
  voxel::image block;
  image.read_into(block, 0, 5);
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) ASSERT_EQ(read_at(block, z, y, x), value_at(z, y, x));
}

// Oracle: the formula of the values; the chunk (1, 0, 1) is absent from its shard, and the second shard is missing.
TEST_F(zarr, reads_chunks_of_shards) {
  for (const bool is_index_last : {true, false}) {
    io::zarr::layout of = layout();
    of.prefix = "c/";
    of.separator = "/";
    of.by_shards = io::zarr::shards{{2, 1, 2}, is_index_last, true};
    const std::uint64_t table_bytes = 16 * 4 + 4;
    std::string chunks, table;
    for (int z = 0; z < 2; ++z)
      for (int x = 0; x < 2; ++x) {
        const bool is_absent = z == 1 && x == 1;
        const std::string bytes = is_absent ? "" : chunk_at(z, x);
        table += is_absent ? little(~0ULL, 8) + little(~0ULL, 8)
                           : little(chunks.size() + (is_index_last ? 0 : table_bytes), 8) + little(bytes.size(), 8);
        chunks += bytes;
      }
    table += checksum_of(table);
    write("c/0/0/0", is_index_last ? chunks + table : table + chunks);
    const voxel::image_planes image = io::zarr::open_array(of);
    voxel::image block;
    image.read_into(block, 0, 5);
    for (int z = 0; z < 5; ++z)
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x)
          ASSERT_EQ(read_at(block, z, y, x), z == 4 || (z / 2 == 1 && x == 3) ? 0x0107 : value_at(z, y, x));
    table[0] = static_cast<char>(table[0] ^ 1);
    write("c/0/0/0", is_index_last ? chunks + table : table + chunks);
    EXPECT_NE(message_of([&] { io::zarr::open_array(of).read_into(block, 0, 1); }).find("wrong checksum"),
              std::string::npos);
    write("c/0/0/0", "abc");
    EXPECT_NE(message_of([&] { io::zarr::open_array(of).read_into(block, 0, 1); }).find("fewer than its table"),
              std::string::npos);
  }
}

// Oracle: the formula of the values; the bytes of each chunk are shuffled by hand as HDF5 does. The last chunk is missing.
TEST_F(zarr, reads_chunks_of_one_file) {
  io::zarr::layout of = layout();
  of.codecs = {codec::shuffle, codec::zlib};
  of.folder = (folder_ / "a.h5").string();
  std::string file = "header";
  for (int z = 0; z < 3; ++z)
    for (int x = 0; x < 2; ++x) {
      const std::string bytes = chunk_at(z, x);
      std::string low, high;
      for (std::size_t i = 0; i < bytes.size(); i += 2) low += bytes[i], high += bytes[i + 1];
      const std::string packed = zlib_of(low + high);
      of.places.push_back({file.size(), packed.size()});
      file += packed;
    }
  of.places.back() = {};
  write("a.h5", file);
  voxel::image block;
  io::zarr::open_array(of).read_into(block, 0, 5);
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) ASSERT_EQ(read_at(block, z, y, x), z == 4 && x == 3 ? 0x0107 : value_at(z, y, x));
  of.places[1].offset += 1;
  EXPECT_NE(message_of([&] { io::zarr::open_array(of).read_into(block, 0, 1); }).find("chunk [0, 0, 1] of '"),
            std::string::npos);
  of.places[1].offset = 1 << 20;
  EXPECT_NE(message_of([&] { io::zarr::open_array(of).read_into(block, 0, 1); }).find("cannot be read to its end"),
            std::string::npos);
}

// Oracle: the contract: each damaged chunk has a message of one line with the name of its file.
TEST_F(zarr, rejects_chunks_of_other_sizes_and_damaged_streams) {
  io::zarr::layout of = layout();
  voxel::image block;
  const std::string good = chunk_at(0, 0), packed = zlib_of(good);
  const auto reason_for = [&](const std::string& bytes) {
    for (int x = 0; x < 2; ++x) write("0.0." + std::to_string(x), bytes);
    const std::string text = message_of([&] { io::zarr::open_array(of).read_into(block, 0, 1); });
    EXPECT_NE(text.find("0.0.0'"), std::string::npos) << text;  // of two damaged chunks, the first one
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  };
  EXPECT_NE(reason_for(good.substr(1)).find("35 bytes instead of 36"), std::string::npos);
  EXPECT_NE(reason_for(good + "x").find("37 bytes instead of 36"), std::string::npos);
  of.codecs = {codec::zlib};
  reason_for("");
  reason_for(good);
  EXPECT_NE(reason_for(packed.substr(0, packed.size() / 2)).find("the end of the stream is missing"), std::string::npos);
  EXPECT_NE(reason_for(packed.substr(0, packed.size() - 2)).find("does not end after 36 bytes"), std::string::npos);
  EXPECT_NE(reason_for(packed + "xy").find("2 bytes follow"), std::string::npos);
  EXPECT_NE(reason_for(zlib_of(good + "abc")).find("does not end after 36 bytes"), std::string::npos);
  EXPECT_NE(reason_for(zlib_of(good.substr(3))).find("33 bytes instead of 36"), std::string::npos);
  std::string changed = packed;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  reason_for(changed);
  EXPECT_NE(reason_for(std::string(70000, 'x')).find("too many for a chunk"), std::string::npos);
}

// Oracle: the contract: passes over an image must not read different contents.
TEST_F(zarr, rejects_a_chunk_that_changes_between_two_reads) {
  const io::zarr::layout of = layout();
  write("0.0.0", chunk_at(0, 0));
  const voxel::image_planes image = io::zarr::open_array(of);
  voxel::image block;
  image.read_into(block, 0, 1);
  image.read_into(block, 4, 1);
  write("0.0.1", chunk_at(0, 1));
  EXPECT_NE(message_of([&] { image.read_into(block, 0, 1); }).find("0.0.1' changes while"), std::string::npos);
}

// Oracle: the written values; a size that contradicts the description is rejected.
TEST_F(zarr, values_of_a_file_are_read_from_their_offset) {
  std::string bytes = "header";
  for (int i = 0; i < 24; ++i) bytes += std::string{'\0', static_cast<char>(i)};
  write("a.raw", bytes);
  nlohmann::ordered_json d = {{"kind", "values"}, {"path", (folder_ / "a.raw").string()},
                              {"offset", 6},      {"shape", {2, 3, 4}},
                              {"type", "u2"},     {"is_big_endian", true}};
  voxel::image block;
  io::open_stored_image(d).read_into(block, 1, 1);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(read_at(block, 0, i / 4, i % 4), 12 + i);
  for (const auto& [key, value] : std::initializer_list<std::pair<const char*, nlohmann::ordered_json>>{
           {"offset", 7}, {"shape", {3, 3, 4}}, {"shape", {1LL << 40, 1LL << 40, 4}}, {"type", "f2"}, {"kind", "x"}}) {
    nlohmann::ordered_json other = d;
    other[key] = value;
    EXPECT_THROW(io::open_stored_image(other), data_error) << key;
  }
}

}  // namespace zarr_test
