#include <osteon/io/film/animated_png.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/io/temporary_file.hpp>
#include <string_view>

namespace osteon::io {

namespace {

constexpr std::string_view signature{"\x89PNG\r\n\x1a\n", 8};
constexpr std::size_t size_of_header = 13;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void append(std::string& to, std::uint32_t value, int bytes = 4) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to.push_back(static_cast<char>(value >> shift & 255));
}

std::string chunk(std::string_view type, std::string_view content) {
  std::string result;
  append(result, static_cast<std::uint32_t>(content.size()));
  result.append(type);
  result.append(content);
  const auto* const begin = reinterpret_cast<const Bytef*>(result.data() + 4);
  append(result, static_cast<std::uint32_t>(crc32_z(0, begin, result.size() - 4)));
  return result;
}

struct picture {
  std::string header;  // content of IHDR
  std::string before;  // complete chunks between IHDR and the first IDAT
  std::string data;    // contents of all IDAT
};

picture read_picture(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto reject = [&](const char* fault) {
    throw data_error(fmt::format("'{}' {}; use the frames of a job", path, fault));
  };
  if (!in.good() && bytes.empty()) reject("cannot be read");
  if (!std::string_view(bytes).starts_with(signature)) reject("is not a PNG picture");
  picture result;
  for (std::size_t at = signature.size(); at < bytes.size();) {
    if (bytes.size() - at < 12) reject("is truncated");
    const std::size_t length = number_at(bytes, at);
    if (bytes.size() - at - 12 < length) reject("is truncated");
    const std::string_view type(bytes.data() + at + 4, 4), content(bytes.data() + at + 8, length);
    if (type == "IEND") break;
    if (type == "IHDR")
      result.header = content;
    else if (type == "IDAT")
      result.data.append(content);
    else if (result.data.empty())
      result.before.append(bytes, at, length + 12);
    at += length + 12;
  }
  if (result.header.size() != size_of_header || result.data.empty()) reject("contains no picture");
  return result;
}

}  // namespace

std::int64_t write_animated_png(const std::string& path, const std::vector<std::string>& frames,
                                const film_options& options) {
  if (frames.empty()) throw usage_error("a film requires at least one picture");
  if (options.frames_per_second < 1 || options.frames_per_second > 1000 || options.last_frames < 1 ||
      options.last_frames > 1000)
    throw usage_error(fmt::format("frames per second ({}) and duration of the last picture ({} frames) must be 1 to 1000",
                                  options.frames_per_second, options.last_frames));
  std::int64_t written = 0;
  write_file(path, [&](std::ostream& out) {
    const auto put = [&](std::string_view bytes) {
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      written += static_cast<std::int64_t>(bytes.size());
    };
    std::string header;
    std::uint32_t sequence = 0;
    for (std::size_t n = 0; n < frames.size(); ++n) {
      const picture now = read_picture(frames[n]);
      if (n == 0) {
        header = now.header;
        std::string control;
        append(control, static_cast<std::uint32_t>(frames.size()));
        append(control, 0);  // infinite repetition
        put(signature);
        put(chunk("IHDR", header));
        put(now.before);
        put(chunk("acTL", control));
      } else if (now.header != header) {
        throw data_error(fmt::format("'{}' has {} x {} pixels, '{}' has {} x {}; frames of a film must have the same size",
                                     frames[n], number_at(now.header, 0), number_at(now.header, 4), frames[0],
                                     number_at(header, 0), number_at(header, 4)));
      }
      std::string control;
      append(control, sequence++);
      control.append(header, 0, 8);  // width and height
      append(control, 0);
      append(control, 0);
      append(control, static_cast<std::uint32_t>(n + 1 == frames.size() ? options.last_frames : 1), 2);
      append(control, static_cast<std::uint32_t>(options.frames_per_second), 2);
      append(control, 0, 1);  // dispose: none
      append(control, 0, 1);  // blend: source
      put(chunk("fcTL", control));
      constexpr std::size_t most = 1U << 30;  // the length of a chunk has 31 bits
      for (std::size_t at = 0; at < now.data.size(); at += most) {
        std::string content;
        if (n > 0) append(content, sequence++);
        content.append(now.data, at, most);
        put(chunk(n == 0 ? "IDAT" : "fdAT", content));
      }
    }
    put(chunk("IEND", {}));
  });
  return written;
}

}  // namespace osteon::io
