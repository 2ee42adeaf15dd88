#include <osteon/io/npy.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <osteon/io/temporary_file.hpp>
#include <ostream>
#include <span>
#include <string_view>

namespace osteon::io {
namespace {

static_assert(std::endian::native == std::endian::little, "requires little-endian memory");

constexpr std::string_view npy_magic("\x93NUMPY", 6);
constexpr std::size_t largest_header = 65536;
constexpr std::array<std::string_view, 8> descriptions{"|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<f4", "<f8"};

/// Parser of the header, a Python dictionary literal with three known keys.
class header_parser {
 public:
  header_parser(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  voxel::image parse() {
    voxel::image array;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !has_type) {
        array.type = type();
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        order();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        array.shape = shape();
        has_shape = true;
      } else {
        fail(fmt::format("unknown or repeated key '{}'", printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size() || !has_type || !has_order || !has_shape)
      fail("the keys must be descr, fortran_order and shape");
    return array;
  }

 private:
  [[noreturn]] void fail(const std::string& fault) const {
    throw data_error(fmt::format("'{}': invalid .npy header: {}; write the file with numpy.save", path_, fault));
  }
  static std::string printable(std::string_view text) {
    std::string result;
    for (char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
    return result;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("missing '{}'", c));
  }
  std::string_view quoted() {
    skip_blanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("missing quoted string");
    const char quote = text_[at_++];
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("unterminated string");
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end + 1;
    return word;
  }
  voxel::scalar type() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') fail("records are not supported; save an array of numbers");
    std::string word(quoted());
    if (word.find('O') != std::string::npos) fail("Python objects are not supported; save an array of numbers");
    if (word == "<u1" || word == "<i1") word[0] = '|';
    for (std::size_t i = 0; i < descriptions.size(); ++i)
      if (word == descriptions[i]) return static_cast<voxel::scalar>(i);
    fail(fmt::format("type '{}' must be one of u1 i1 u2 i2 u4 i4 f4 f8, little-endian", printable(word)));
  }
  void order() {
    skip_blanks();
    if (text_.substr(at_).starts_with("False")) {
      at_ += 5;
    } else if (text_.substr(at_).starts_with("True")) {
      fail("Fortran order is not supported; save numpy.ascontiguousarray(a)");
    } else {
      fail("fortran_order must be True or False");
    }
  }
  index3 shape() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::int64_t extent = 0;
      const char* end = text_.data() + text_.size();
      const auto [last, status] = std::from_chars(text_.data() + at_, end, extent);
      if (status != std::errc()) fail("the shape must be a list of numbers");
      if (extent < 1) fail(fmt::format("extent {} must be at least 1", extent));
      at_ = static_cast<std::size_t>(last - text_.data());
      extents.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    if (extents.size() != 3) fail(fmt::format("the array has {} dimensions; must be 3 (z, y, x)", extents.size()));
    return {extents[0], extents[1], extents[2]};
  }

  const std::string& path_;
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Open file, read by offset. The file is not mapped, because a disk error in a mapped file would terminate the process.
class npy_bytes {
 public:
  explicit npy_bytes(const std::string& path) : file_(path, O_RDONLY) {
    if (file_ < 0) throw data_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  }

  std::uint64_t size() const {
    struct stat found{};
    return ::fstat(file_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
  }
  /// Read bytes at an offset. Returns true if all bytes were read.
  bool read(std::uint64_t offset, std::span<std::byte> bytes) const {
    return read_at(file_, bytes.data(), std::ssize(bytes), static_cast<std::int64_t>(offset)) == std::ssize(bytes);
  }

 private:
  file_descriptor file_;
};

}  // namespace

voxel::image_planes open_npy(const std::string& path) {
  const auto file = std::make_shared<const npy_bytes>(path);
  const std::uint64_t total = file->size();
  std::array<unsigned char, 12> start{};
  if (!file->read(0, std::as_writable_bytes(std::span(start).first(8))) ||
      std::memcmp(start.data(), npy_magic.data(), npy_magic.size()) != 0)
    throw data_error(fmt::format("'{}': not a .npy file (missing signature NUMPY); write the file with numpy.save", path));
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    throw data_error(fmt::format("'{}': .npy format version {}.{}; must be 1.0 to 3.0", path, major, minor));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const bool has_length = file->read(8, std::as_writable_bytes(std::span(start).subspan(8, length_bytes)));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= static_cast<std::size_t>(start[8 + i]) << (8 * i);
  const std::uint64_t data_begin = 8 + length_bytes + length;
  if (!has_length || length > largest_header || data_begin > total)
    throw data_error(fmt::format("'{}': damaged file: header length of {} bytes (file size {} bytes, limit {} bytes)", path,
                                 length, total, largest_header));
  std::string text(length, '\0');
  if (!file->read(8 + length_bytes, std::as_writable_bytes(std::span(text))))
    throw data_error(fmt::format("'{}': truncated header", path));

  const voxel::image header = header_parser(path, text).parse();
  const index3 shape = header.shape;
  const std::uint64_t available = total - data_begin;
  std::uint64_t needed = voxel::size_of(header.type);
  bool fits = true;  // checked before allocation: the file must contain all bytes declared in its header
  for (int a = 0; a < 3; ++a) fits = fits && !__builtin_mul_overflow(needed, static_cast<std::uint64_t>(shape[a]), &needed);
  if (!fits || needed != available)
    throw data_error(
        fmt::format("'{}': truncated or damaged file: {} x {} x {} values of {} bytes do not match {} bytes of data", path,
                    shape.z, shape.y, shape.x, voxel::size_of(header.type), available));
  const std::uint64_t plane = needed / static_cast<std::uint64_t>(shape.z);
  return {shape, header.type,
          [file, path, data_begin, plane](std::int64_t first, std::int64_t, std::span<std::byte> values) {
            if (!file->read(data_begin + static_cast<std::uint64_t>(first) * plane, values))
              throw data_error(fmt::format("'{}': cannot read the data to the end of the file", path));
          }};
}

voxel::image read_npy(const std::string& path) {
  const voxel::image_planes planes = open_npy(path);
  voxel::image array;
  planes.read_into(array, 0, planes.shape.z);
  return array;
}

void write_npy(const std::string& path, const voxel::image& array) {
  const std::size_t width = voxel::size_of(array.type);
  if (array.bytes.size() != static_cast<std::size_t>(array.shape.volume()) * width)
    throw usage_error(fmt::format("{} bytes do not match the shape of {} x {} x {} values of {} bytes", array.bytes.size(),
                                  array.shape.z, array.shape.y, array.shape.x, width));
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}, {}), }}",
                  descriptions[static_cast<std::size_t>(array.type)], array.shape.z, array.shape.y, array.shape.x);
  text.append(63 - (10 + text.size()) % 64, ' ');  // the values start at a multiple of 64 bytes
  text += '\n';
  write_file(path, [&](std::ostream& to) {
    to << npy_magic << '\1' << '\0' << static_cast<char>(text.size() & 255) << static_cast<char>(text.size() >> 8) << text;
    to.write(reinterpret_cast<const char*>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size()));
  });
}

}  // namespace osteon::io
