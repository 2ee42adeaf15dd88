#include <osteon/io/label_nrrd.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <osteon/base/error.hpp>
#include <osteon/io/temporary_file.hpp>
#include <ostream>
#include <vector>

namespace osteon::io {

namespace {

/// Compresses its input to a gzip stream.
class gzip_stream {
 public:
  explicit gzip_stream(std::ostream& out) : out_(out), packed_(std::size_t{1} << 16) {
    constexpr int window_with_gzip_header = 15 + 16, memory = 8;
    if (deflateInit2(&z_, 6, Z_DEFLATED, window_with_gzip_header, memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw machine_error("cannot initialise zlib: out of memory");
  }
  gzip_stream(const gzip_stream&) = delete;
  gzip_stream& operator=(const gzip_stream&) = delete;
  ~gzip_stream() { deflateEnd(&z_); }

  void put(std::span<std::uint8_t> bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts in 32 bits
    for (std::size_t first = 0; first < bytes.size(); first += most)
      drain(bytes.subspan(first, std::min(most, bytes.size() - first)), Z_NO_FLUSH);
  }
  void finish() { drain({}, Z_FINISH); }

 private:
  void drain(std::span<std::uint8_t> bytes, int flush) {
    z_.next_in = bytes.data();
    z_.avail_in = static_cast<uInt>(bytes.size());
    do {
      z_.next_out = packed_.data();
      z_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&z_, flush);
      out_.write(reinterpret_cast<const char*>(packed_.data()), static_cast<std::streamsize>(packed_.size() - z_.avail_out));
    } while (z_.avail_out == 0);
  }

  std::ostream& out_;
  std::vector<std::uint8_t> packed_;
  z_stream z_{};
};

std::string header_of(const label_volume& v) {
  std::array<double, 9> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (v.axes_lps) axes = *v.axes_lps;
  const double spacing[] = {v.spacing_mm.x, v.spacing_mm.y, v.spacing_mm.z};
  const double centre[] = {v.origin_mm.x + spacing[0] / 2, v.origin_mm.y + spacing[1] / 2, v.origin_mm.z + spacing[2] / 2};
  double first[3] = {};
  std::string directions;
  for (std::size_t column = 0; column < 3; ++column) {
    for (std::size_t row = 0; row < 3; ++row) first[row] += axes[3 * row + column] * centre[column];
    directions += fmt::format(" ({:.9g},{:.9g},{:.9g})", axes[column] * spacing[column], axes[3 + column] * spacing[column],
                              axes[6 + column] * spacing[column]);
  }
  return fmt::format(
      "NRRD0004\ntype: uint8\ndimension: 3\n{}\nsizes: {} {} {}\nspace directions:{}\nspace origin: "
      "({:.9g},{:.9g},{:.9g})\nencoding: gzip\n\n",
      v.axes_lps ? "space: left-posterior-superior" : "space dimension: 3", v.shape.x, v.shape.y, v.shape.z, directions,
      first[0], first[1], first[2]);
}

}  // namespace

void write_labels(const std::string& path, const label_volume& volume, std::span<const label_run> runs) {
  const index3 n = volume.shape;
  std::vector<std::uint32_t> by_plane(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const label_run& r = runs[i];
    if (r.z < 0 || r.z >= n.z || r.y < 0 || r.y >= n.y || r.x < 0 || r.length < 1 || r.x + std::int64_t{r.length} > n.x)
      throw usage_error(fmt::format("run of {} voxels at z, y, x = {}, {}, {} exceeds the volume of {} x {} x {} voxels",
                                    r.length, r.z, r.y, r.x, n.z, n.y, n.x));
    if (r.number < 1 || r.number > 255) throw usage_error(fmt::format("label {} must be from 1 to 255", r.number));
    by_plane[i] = static_cast<std::uint32_t>(i);
  }
  std::stable_sort(by_plane.begin(), by_plane.end(), [&](auto a, auto b) { return runs[a].z < runs[b].z; });

  write_file(path, [&](std::ostream& to) {
    to << header_of(volume);
    gzip_stream packed(to);
    std::vector<std::uint8_t> plane(static_cast<std::size_t>(n.y * n.x));
    std::size_t next = 0;
    for (std::int64_t z = 0; z < n.z; ++z) {
      std::fill(plane.begin(), plane.end(), std::uint8_t{0});
      for (; next < by_plane.size() && runs[by_plane[next]].z == z; ++next) {
        const label_run& r = runs[by_plane[next]];
        std::fill_n(plane.begin() + (r.y * n.x + r.x), r.length, static_cast<std::uint8_t>(r.number));
      }
      packed.put(plane);
    }
    packed.finish();
  });
}

}  // namespace osteon::io
