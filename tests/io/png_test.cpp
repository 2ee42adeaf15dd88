#include <gtest/gtest.h>
#include <sys/resource.h>

#include <png.h>
#include <unistd.h>
#include <csignal>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/png.hpp>
#include <vector>

namespace png_test {

using namespace osteon;
namespace fs = std::filesystem;

struct temporary_folder {
  fs::path path = fs::temp_directory_path() / ("osteon_png_" + std::to_string(::getpid()));
  temporary_folder() { fs::create_directories(path); }
  ~temporary_folder() { fs::remove_all(path); }
};

std::vector<std::uint8_t> gradient(int width, int height) {
  std::vector<std::uint8_t> rgba;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int c : {x * 5, y * 7, x * y, 255 - x}) rgba.push_back(static_cast<std::uint8_t>(c));
  return rgba;
}

// Oracle: the simplified reader of libpng returns the bytes, for one strip and for several strips.
TEST(png, returns_the_written_pixels) {
  for (const int height : {21, 64, 201}) {
    const temporary_folder folder;
    const std::string path = (folder.path / "picture.png").string();
    const auto rgba = gradient(37, height);

    io::write_png(path, 37, height, rgba);

    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    ASSERT_TRUE(png_image_begin_read_from_file(&image, path.c_str())) << image.message;
    EXPECT_EQ(image.width, 37u);
    EXPECT_EQ(image.height, static_cast<unsigned>(height));
    image.format = PNG_FORMAT_RGBA;
    std::vector<std::uint8_t> read(PNG_IMAGE_SIZE(image));
    ASSERT_TRUE(png_image_finish_read(&image, nullptr, read.data(), 0, nullptr)) << image.message;
    EXPECT_EQ(read, rgba);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
  }
}

// Oracle: the file written by one rank. The bytes must be equal, also if some ranks have no rows.
TEST(png, of_rows_on_all_ranks_is_the_file_of_one) {
  const bool root = comm::rank(MPI_COMM_WORLD) == 0;
  for (const int height : {1, 130, 300}) {
    const temporary_folder folder;
    const std::string path = (folder.path / "picture.png").string(), alone = (folder.path / "alone.png").string();
    const auto rgba = gradient(51, height);
    const auto first = io::png_rows(height, comm::size(MPI_COMM_WORLD));
    const auto rank = static_cast<std::size_t>(comm::rank(MPI_COMM_WORLD));
    const auto row = [&](std::size_t r) { return static_cast<std::size_t>(first[r]) * 51 * 4; };

    io::write_png(MPI_COMM_WORLD, path, 51, height, std::span(rgba).subspan(row(rank), row(rank + 1) - row(rank)));

    EXPECT_EQ(fs::exists(path), root);
    if (!root) continue;
    io::write_png(alone, 51, height, rgba);
    const auto content = [](const std::string& name) {
      std::ifstream file(name, std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(content(path), content(alone)) << height;
  }
  EXPECT_THROW(io::write_png(MPI_COMM_WORLD, "none.png", 51, 10, {}), usage_error);
}

// Oracle: the type of the error, and an empty folder. A folder with the picture's name is not replaced.
TEST(png, leaves_no_file_behind_when_it_cannot_write) {
  const temporary_folder folder;
  const auto rgba = gradient(4, 4);
  EXPECT_THROW(io::write_png((folder.path / "missing" / "picture.png").string(), 4, 4, rgba), machine_error);
  EXPECT_TRUE(fs::is_empty(folder.path));

  fs::create_directories(folder.path / "picture.png" / "content");
  EXPECT_THROW(io::write_png((folder.path / "picture.png").string(), 4, 4, rgba), usage_error);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1);
}

// Oracle: the type of the error, and an empty folder. The file cannot grow, as on a full disk.
TEST(png, reports_that_a_file_cannot_grow) {
  const temporary_folder folder;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{64, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(io::write_png((folder.path / "picture.png").string(), 64, 64, gradient(64, 64)), machine_error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(fs::is_empty(folder.path));
}

TEST(png, refuses_a_picture_of_another_size) {
  EXPECT_THROW(io::write_png("unused.png", 4, 4, gradient(4, 3)), usage_error);
  EXPECT_THROW(io::write_png("unused.png", 0, 0, {}), usage_error);
}

}  // namespace png_test
