#include <osteon/io/vtp.hpp>

#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/io/temporary_file.hpp>
#include <ostream>

namespace osteon::io {

namespace {

static_assert(std::endian::native == std::endian::little);

// Arrays of the appended data, each preceded by its size.
class vtp_arrays {
 public:
  template <class T>
  std::string add(const char* type, const std::string& name, int components, const std::vector<T>& values) {
    const std::string element = fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n", type,
        name, components, bytes_.size());
    const std::uint64_t size = values.size() * sizeof(T);
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(reinterpret_cast<const char*>(values.data()), size);
    return element;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

void write_vtp(const std::string& path, const polylines& lines) {
  const std::size_t points = lines.points.size();
  if (lines.first.empty() || lines.first.front() != 0 || lines.first.back() != static_cast<std::int64_t>(points))
    throw usage_error(
        fmt::format("first points of lines: must begin with 0 and end with the number of points ({})", points));
  for (const auto& [name, values] : lines.values)
    if (values.size() != points)
      throw usage_error(fmt::format("array '{}': the number of values ({}) must equal the number of points ({})", name,
                                    values.size(), points));
  vtp_arrays arrays;
  std::string head = fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n  <PolyData>\n    <Piece NumberOfPoints=\"{}\" NumberOfLines=\"{}\">\n      <PointData>\n",
      points, lines.first.size() - 1);
  for (const auto& [name, values] : lines.values) head += arrays.add("Float64", name, 1, values);
  head += "      </PointData>\n      <Points>\n" + arrays.add("Float64", "points", 3, lines.points) +
          "      </Points>\n      <Lines>\n";
  std::vector<std::int64_t> numbers(points);
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  head += arrays.add("Int64", "connectivity", 1, numbers);
  head += arrays.add("Int64", "offsets", 1, std::vector<std::int64_t>(lines.first.begin() + 1, lines.first.end()));
  head += "      </Lines>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";

  write_file(path, [&](std::ostream& to) { to << head << arrays.bytes() << "\n  </AppendedData>\n</VTKFile>\n"; });
}

}  // namespace osteon::io
