#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/io/npy.hpp>
#include <random>

namespace npy_test {

using namespace osteon;

std::string path() { return "/tmp/osteon_" + std::to_string(::getpid()) + ".npy"; }
void write_bytes(const std::string& bytes) { std::ofstream(path(), std::ios::binary) << bytes; }
std::string file_with(const std::string& header, std::size_t data, char major = 1) {
  std::string text("\x93NUMPY", 6);
  text += {major, '\0', static_cast<char>(header.size()), '\0'};
  if (major > 1) text += std::string(2, '\0');
  return text + header + std::string(data, 'x');
}

// Oracle: the written values, for every type.
TEST(npy, comes_back_as_it_was_written) {
  for (int type = 0; type < 8; ++type) {
    voxel::image array{{3, 4, 5}, static_cast<voxel::scalar>(type), {}};
    array.bytes.resize(60 * voxel::size_of(array.type));
    for (std::size_t i = 0; i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i * 7);
    io::write_npy(path(), array);
    const auto read = io::read_npy(path());
    EXPECT_EQ(read.shape, array.shape);
    EXPECT_EQ(read.type, array.type);
    EXPECT_EQ(read.bytes, array.bytes);
  }
  std::filesystem::remove(path());
}

// Oracle: the text of the NumPy format specification.
TEST(npy, reads_the_versions_and_refuses_the_rest) {
  const std::string good = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1, 3), }\n";
  for (char major : {1, 2, 3}) {
    write_bytes(file_with(good, 12, major));
    EXPECT_EQ(io::read_npy(path()).shape, (index3{2, 1, 3}));
    EXPECT_EQ(io::read_npy(path()).type, voxel::scalar::i2);
  }
  for (const char* bad : {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 1, 3), }",
                          "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 1, 3), }",
                          "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 1, 3), }",
                          "{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }",
                          "{'descr': '<i2', 'fortran_order': False, 'shape': (99999999999, 99999999999, 3), }",
                          "{'descr': '<i2', 'shape': (2, 1, 3)}"}) {
    write_bytes(file_with(bad, 12));
    EXPECT_THROW(io::read_npy(path()), data_error) << bad;
  }
  std::filesystem::remove(path());
}

// Oracle: the parser throws only data_error.
TEST(npy, reads_mutated_files_or_refuses_them_with_a_data_error) {
  const std::string good = file_with("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1, 3), }\n", 12);
  std::mt19937 generator(11);
  int refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string bad = good;
    for (unsigned i = generator() % 4; i > 0; --i) bad[generator() % bad.size()] = static_cast<char>(generator());
    if (trial % 3 == 0) bad.resize(generator() % bad.size());
    write_bytes(bad);
    try {
      const auto array = io::read_npy(path());
      EXPECT_EQ(array.bytes.size(), static_cast<std::size_t>(array.shape.volume()) * voxel::size_of(array.type));
    } catch (const data_error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
  std::filesystem::remove(path());
}

}  // namespace npy_test
