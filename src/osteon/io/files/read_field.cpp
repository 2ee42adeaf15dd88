#include <osteon/io/files/result_file.hpp>
#include <osteon/io/files/result_parts.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/netcdf.hpp>

namespace osteon::io {

namespace {

// File of osteon, open for reading.
class field_file {
 public:
  explicit field_file(const std::string& path) : path_(path), file_(open_to_read(path)) {}

  int id() const { return file_.id(); }
  void check(int status, const std::string& name) const {
    check_netcdf(status, fmt::format("read '{}' of '{}'", name, path_), error_kind::data);
  }
  int group(const char* name) const {
    int id = -1;
    check(nc_inq_grp_full_ncid(file_.id(), name, &id), name);
    return id;
  }
  // Text attribute; empty if it does not exist.
  std::string text(int group_id, int variable, const char* name, std::size_t most = 4096) const {
    std::size_t size = 0;
    nc_type type = NC_NAT;
    if (nc_inq_att(group_id, variable, name, &type, &size) != NC_NOERR || type != NC_CHAR || size > most) return {};
    std::string value(size, '\0');
    check(nc_get_att_text(group_id, variable, name, value.data()), name);
    return value;
  }
  std::vector<std::size_t> extents(int group_id, int variable) const {
    int count = 0;
    std::array<int, NC_MAX_VAR_DIMS> dimensions{};
    check(nc_inq_var(group_id, variable, nullptr, nullptr, &count, dimensions.data(), nullptr), "extents");
    std::vector<std::size_t> result(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < result.size(); ++i) check(nc_inq_dimlen(group_id, dimensions[i], &result[i]), "extents");
    return result;
  }

 private:
  std::string path_;
  netcdf_file file_;
};

void list_group(const field_file& file, const char* name, centring where, field_list& result) {
  const int group = file.group(name);
  int count = 0;
  file.check(nc_inq_varids(group, &count, nullptr), name);
  std::vector<int> ids(static_cast<std::size_t>(count));
  file.check(nc_inq_varids(group, &count, ids.data()), name);
  for (const int id : ids) {
    char variable[NC_MAX_NAME + 1] = {};
    file.check(nc_inq_varname(group, id, variable), name);
    const auto extents = file.extents(group, id);
    if (extents.size() != 3 && extents.size() != 4) continue;
    field_info field{variable, file.text(group, id, "long_name"), file.text(group, id, "units"), where, 1};
    if (extents.size() == 4) field.components = static_cast<int>(extents[3]);
    const std::int64_t more = where == centring::node ? 1 : 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto extent = static_cast<std::int64_t>(extents[static_cast<std::size_t>(axis)]) - more;
      if (result.shape[axis] != 0 && result.shape[axis] != extent)
        throw data_error(fmt::format("field '{}' and the previous fields must have the same shape", field.name));
      result.shape[axis] = extent;
    }
    result.fields.push_back(field);
  }
}

field_list list_file(const std::string& path) {
  const field_file file(path);
  field_list result;
  const int vtk = file.group("/VTKHDF");
  result.title = file.text(file.id(), NC_GLOBAL, "title");
  std::array<double, 3> spacing{};
  std::size_t size = 0;
  file.check(nc_inq_attlen(vtk, NC_GLOBAL, "Spacing", &size), "Spacing");
  if (size != spacing.size()) throw data_error(fmt::format("'{}': spacing has {} values; must be 3", path, size));
  file.check(nc_get_att_double(vtk, NC_GLOBAL, "Spacing", spacing.data()), "Spacing");
  result.spacing_mm = {spacing[2], spacing[1], spacing[0]};
  list_group(file, "/VTKHDF/CellData", centring::cell, result);
  int points = -1;
  if (nc_inq_grp_full_ncid(file.id(), "/VTKHDF/PointData", &points) == NC_NOERR)
    list_group(file, "/VTKHDF/PointData", centring::node, result);
  if (result.fields.empty()) throw data_error(fmt::format("'{}': the file contains no fields", path));
  check_geometry(result.shape, result.spacing_mm, {});
  return result;
}

std::vector<float> read_from_file(const std::string& path, const field_info& field, const box3& part, int component) {
  const field_file file(path);
  const bool on_nodes = field.where == centring::node;
  const int group = file.group(on_nodes ? "/VTKHDF/PointData" : "/VTKHDF/CellData");
  int id = -1;
  file.check(nc_inq_varid(group, field.name.c_str(), &id), field.name);
  const index3 cells = part.shape();
  index3 shape = cells;
  if (on_nodes) shape = shape + index3{1, 1, 1};
  const auto components = static_cast<std::size_t>(field.components);
  const std::array<std::size_t, 4> start{static_cast<std::size_t>(part.begin.z), static_cast<std::size_t>(part.begin.y),
                                         static_cast<std::size_t>(part.begin.x), 0};
  const std::array<std::size_t, 4> count{static_cast<std::size_t>(shape.z), static_cast<std::size_t>(shape.y),
                                         static_cast<std::size_t>(shape.x), components};
  std::vector<float> values(static_cast<std::size_t>(shape.volume()) * components);
  file.check(nc_get_vara_float(group, id, start.data(), count.data(), values.data()), field.name);
  if (components > 1) {
    for (std::size_t i = 0; i < values.size() / components; ++i) {
      const float* v = &values[i * components];
      float sum = 0;  // each shear component represents two entries of the tensor
      for (std::size_t c = 0; c < components; ++c) sum += (components == 6 && c >= 3 ? 2.0F : 1.0F) * v[c] * v[c];
      values[i] = component < 0 ? std::sqrt(sum) : v[static_cast<std::size_t>(component)];
    }
    values.resize(values.size() / components);
  }
  if (field.name == "material")
    for (float& v : values)
      if (v == 0) v = std::numeric_limits<float>::quiet_NaN();
  if (!on_nodes) return values;
  std::vector<float> result(static_cast<std::size_t>(cells.volume()));
  const view3<const float> node(values.data(), shape);
  for (std::int64_t z = 0; z < cells.z; ++z)
    for (std::int64_t y = 0; y < cells.y; ++y)
      for (std::int64_t x = 0; x < cells.x; ++x) {
        float sum = 0;
        for (int c = 0; c < 8; ++c) sum += node(z + (c >> 2), y + (c >> 1 & 1), x + (c & 1));
        result[static_cast<std::size_t>((z * cells.y + y) * cells.x + x)] = sum / 8;
      }
  return result;
}

// True if two parts have equal fields, and their planes have equal shapes.
bool are_compatible(const field_list& one, const field_list& other) {
  return one.shape.y == other.shape.y && one.shape.x == other.shape.x &&
         std::equal(one.fields.begin(), one.fields.end(), other.fields.begin(), other.fields.end(),
                    [](const field_info& a, const field_info& b) {
                      return a.name == b.name && a.where == b.where && a.components == b.components;
                    });
}

}  // namespace

std::string results_part_path(const std::string& path, int index) {
  std::filesystem::path name = path;
  return name.replace_filename(fmt::format("{}.{}{}", name.stem().string(), index, name.extension().string())).string();
}

bool results_exist(const std::string& path) {
  return std::filesystem::is_regular_file(path) || std::filesystem::is_regular_file(results_part_path(path, 0));
}

std::vector<std::string> results_files(const std::string& path) {
  const std::string first = results_part_path(path, 0);
  if (std::filesystem::exists(path) || !std::filesystem::is_regular_file(first)) return {path};
  const field_file file(first);
  const std::string parts = file.text(file.id(), NC_GLOBAL, "parts");
  int count = 0;
  std::from_chars(parts.data(), parts.data() + parts.size(), count);
  if (count < 2 || count > 65536)
    throw data_error(
        fmt::format("'{}': the number of parts is missing; read the parts individually, or run the job again", first));
  std::vector<std::string> files{first};
  for (int index = 1; index < count; ++index) {
    files.push_back(results_part_path(path, index));
    if (!std::filesystem::is_regular_file(files.back()))
      throw data_error(fmt::format(
          "'{}' is missing: each of the {} clusters wrote its planes to a separate file; copy all files to this folder",
          files.back(), count));
  }
  return files;
}

field_list list_fields(const std::string& path) {
  const std::vector<std::string> files = results_files(path);
  field_list result = list_file(files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    const field_list other = list_file(files[i]);
    if (!are_compatible(result, other))
      throw data_error(
          fmt::format("'{}' and '{}' are not parts of the same results: fields or shapes differ; run the job again",
                      files.front(), files[i]));
    result.shape.z += other.shape.z;
  }
  return result;
}

std::optional<image_axes> axes_in_file(const std::string& path) {
  const field_file file(results_files(path).front());
  return axes_in(file.text(file.id(), NC_GLOBAL, "provenance", largest_text));
}

std::vector<float> read_field(const std::string& path, const field_info& field, const box3& part, int component) {
  const std::vector<std::string> files = results_files(path);
  if (files.size() == 1) return read_from_file(path, field, part, component);
  std::vector<float> values;
  std::int64_t first = 0;  // first plane of the current file
  for (const std::string& file : files) {
    const std::int64_t planes = list_file(file).shape.z;
    box3 in_file = part;
    in_file.begin.z = std::max(part.begin.z - first, std::int64_t{0});
    in_file.end.z = std::min(part.end.z - first, planes);
    first += planes;
    if (in_file.begin.z >= in_file.end.z) continue;
    const std::vector<float> found = read_from_file(file, field, in_file, component);
    values.insert(values.end(), found.begin(), found.end());
  }
  return values;
}

}  // namespace osteon::io
