#include <osteon/io/png.hpp>

#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {

namespace {

struct closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// libpng reports a fault by jumping out of the call; no C++ object with a destructor lives in this function.
bool encode(std::FILE* file, int width, int height, const std::uint8_t* rgba) {
  png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  if (!writer) return false;
  png_infop info = png_create_info_struct(writer);
  if (!info || setjmp(png_jmpbuf(writer))) {
    png_destroy_write_struct(&writer, &info);
    return false;
  }
  png_init_io(writer, file);
  png_set_IHDR(writer, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8, PNG_COLOR_TYPE_RGB_ALPHA,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(writer, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_write_info(writer, info);
  const std::size_t row_bytes = std::size_t{4} * static_cast<std::size_t>(width);
  for (int row = 0; row < height; ++row) png_write_row(writer, rgba + row_bytes * static_cast<std::size_t>(row));
  png_write_end(writer, info);
  png_destroy_write_struct(&writer, &info);
  return true;
}

}  // namespace

void write_png(const std::string& path, int width, int height, std::span<const std::uint8_t> rgba) {
  if (width < 1 || height < 1 ||
      rgba.size() != std::size_t{4} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))
    throw usage_error(fmt::format("{} bytes for a picture of {} x {} pixels; give 4 bytes for each of at least one pixel",
                                  rgba.size(), width, height));
  temporary_file temporary(path);
  errno = 0;
  std::unique_ptr<std::FILE, closer> file(std::fopen(temporary.name().c_str(), "wb"));
  if (!file || !encode(file.get(), width, height, rgba.data()) || std::fflush(file.get()) != 0 ||
      std::fclose(file.release()) != 0)
    throw machine_error(
        fmt::format("cannot write picture {}: {}; choose a folder that exists, can be written and has space left", path,
                    std::strerror(errno)));
  temporary.commit();
}

}  // namespace osteon::io
