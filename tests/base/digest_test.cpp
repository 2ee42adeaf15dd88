#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <osteon/base/digest.hpp>
#include <osteon/base/error.hpp>
#include <string>

namespace digest_test {

using namespace osteon;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

// Oracle: the examples of FIPS 180-4.
TEST(sha256, gives_the_published_digests) {
  EXPECT_EQ(sha256_of(bytes_of("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(sha256, of_pieces_is_that_of_the_whole) {
  sha256 digest;
  digest.update(bytes_of("a"));
  digest.update(bytes_of("bc"));
  EXPECT_EQ(digest.hex(), sha256_of(bytes_of("abc")));
}

TEST(sha256, reads_files_and_reports_failures) {
  const std::string path = testing::TempDir() + "osteon_digest";
  std::ofstream(path) << "abc";
  EXPECT_EQ(sha256_of_file(path), sha256_of(bytes_of("abc")));
  std::remove(path.c_str());
  EXPECT_THROW(sha256_of_file(path), data_error);
}

}  // namespace digest_test
