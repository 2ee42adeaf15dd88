#include <osteon/io/netcdf.hpp>

#include <fmt/format.h>
#include <hdf5.h>
#include <netcdf.h>
#include <netcdf_filter.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <osteon/io/hdf5_locks.hpp>
#include <osteon/io/metadata_digest.hpp>
#include <string_view>

namespace osteon::io {
namespace {

constexpr const char* hdf5_locks = "HDF5_USE_FILE_LOCKING";
constexpr const char* axis_names[3] = {"Z", "Y", "X"};
constexpr std::int64_t largest_axis = 1 << 20;
constexpr double largest_plane_bytes = 2147483647.0;  // MPI-IO in HDF5 counts the bytes of a chunk in an int

void define_coordinate(const layout& where, const char* name, int dimension, const char* axis) {
  const int id = define_variable(where.file, name, NC_DOUBLE, {&dimension, 1});
  put_text(where.file, id, "units", "mm");
  put_text(where.file, id, "axis", axis);
  put_text(where.file, id, "long_name", fmt::format("{} of the {}", axis, name[1] == 'n' ? "nodes" : "voxel centres"));
}

void write_coordinate(int file, const char* name, std::int64_t count, double first, double step) {
  std::vector<double> value(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) value[static_cast<std::size_t>(i)] = first + step * static_cast<double>(i);
  check_netcdf(nc_put_var_double(file, find_variable(file, name), value.data()), fmt::format("write '{}'", name));
}

void write_coordinates(int file, const voxel::model_header& header, bool with_nodes) {
  const char* const cell[3] = {"z", "y", "x"};
  const char* const node[3] = {"zn", "yn", "xn"};
  for (int a = 0; a < 3; ++a) {
    const double h = header.spacing_mm[a], o = header.origin_mm[a];
    write_coordinate(file, cell[a], header.shape[a], o + h / 2, h);
    if (with_nodes) write_coordinate(file, node[a], header.shape[a] + 1, o, h);
  }
}

/// Dimension of tensor components, defined for the first tensor of a file.
int voigt_dimension(int file) {
  int id = -1;
  return nc_inq_dimid(file, "voigt", &id) == NC_NOERR ? id : define_dimension(file, "voigt", 6);
}

void store_as(const plane_variable& v, const storage& options) {
  std::vector<std::size_t> chunk{static_cast<std::size_t>(v.chunk_planes)};
  chunk.insert(chunk.end(), v.plane_shape.begin(), v.plane_shape.end());
  const std::string action = fmt::format("define how '{}' is stored", v.name);
  if (v.type == NC_FLOAT && options.significant_digits > 0)
    check_netcdf(nc_def_var_quantize(v.group, v.id, NC_QUANTIZE_BITROUND, bits_for_digits(options.significant_digits)),
                 action);
  if (options.method == compression::none)
    return check_netcdf(nc_def_var_chunking(v.group, v.id, NC_CONTIGUOUS, nullptr), action);
  check_netcdf(nc_def_var_chunking(v.group, v.id, NC_CHUNKED, chunk.data()), action);
  // Fletcher-32 is not used, because every reader detects a damaged chunk by Adler-32 of zlib or the checksum of zstd.
  if (options.method == compression::deflate) {
    check_netcdf(nc_def_var_deflate(v.group, v.id, 1, 1, options.level.value_or(default_level)), action);
  } else {
    const unsigned level = static_cast<unsigned>(options.level.value_or(default_level));
    check_netcdf(nc_def_var_deflate(v.group, v.id, 1, 0, 0), action);  // shuffle only
    check_netcdf(nc_def_var_filter(v.group, v.id, zstd_filter, 1, &level), action);
  }
}

}  // namespace

void check_netcdf(int status, const std::string& action, error_kind kind) {
  if (status == NC_NOERR) return;
  // HDF5 reports a failed lock as an error of the file, or as a missing permission.
  const char* locks = std::getenv(hdf5_locks);
  const bool asked_for = locks && std::string_view(locks) != "FALSE" && std::string_view(locks) != "0";
  throw_error(kind, fmt::format("cannot {}: {}{}", action, nc_strerror(status),
                                asked_for ? fmt::format(" ({} is set to {}: unset it on file systems without locks)",
                                                        hdf5_locks, locks)
                                          : ""));
}

int define_group(int parent, const std::string& name) {
  int id = -1;
  check_netcdf(nc_def_grp(parent, name.c_str(), &id), fmt::format("define group '{}'", name));
  return id;
}

int define_dimension(int group, const std::string& name, std::size_t length) {
  int id = -1;
  check_netcdf(nc_def_dim(group, name.c_str(), length, &id), fmt::format("define dimension '{}'", name));
  return id;
}

int define_variable(int group, const std::string& name, int type, std::span<const int> dimensions,
                    const std::string& long_name, const std::string& units) {
  int id = -1;
  check_netcdf(nc_def_var(group, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &id),
               fmt::format("define '{}'", name));
  if (!long_name.empty()) put_text(group, id, "long_name", long_name);
  if (!units.empty()) put_text(group, id, "units", units);
  return id;
}

int find_variable(int group, const std::string& name) {
  int id = -1;
  check_netcdf(nc_inq_varid(group, name.c_str(), &id), fmt::format("find '{}'", name));
  return id;
}

const char* netcdf_path(const std::string& path) {
  if (path.find('\\') != std::string::npos)
    throw usage_error(fmt::format(
        "path '{}' contains a backslash, which the netCDF library does not support; rename the folder or file", path));
  return path.c_str();
}

void put_text(int group, int variable, const char* name, const std::string& text) {
  check_netcdf(nc_put_att_text(group, variable, name, text.size(), text.c_str()), fmt::format("write attribute '{}'", name));
}

std::int64_t planes_per_chunk(std::int64_t planes, std::int64_t bytes_per_plane) {
  constexpr std::int64_t target = 2 << 20;
  return std::clamp<std::int64_t>(target / bytes_per_plane, 1, planes);
}

void check_geometry(index3 shape, vector3 spacing_mm, vector3 origin_mm, int components) {
  for (int a = 0; a < 3; ++a) {
    const char name = "zyx"[a];
    if (shape[a] < 1 || shape[a] > largest_axis)
      throw data_error(fmt::format("number of voxels along {} ({}): must be from 1 to {}", name, shape[a], largest_axis));
    if (!(spacing_mm[a] > 0) || !std::isfinite(spacing_mm[a]))
      throw data_error(fmt::format("voxel spacing along {} ({} mm): must be finite and > 0", name, spacing_mm[a]));
    if (!std::isfinite(origin_mm[a]))
      throw data_error(fmt::format("origin along {} ({} mm): must be finite", name, origin_mm[a]));
  }
  const double plane = static_cast<double>(shape.y + 1) * static_cast<double>(shape.x + 1) * components * sizeof(float);
  if (plane > largest_plane_bytes)
    throw data_error(
        fmt::format("a plane of {} x {} voxels is too large for the file format ({:.0f} bytes; the limit is {:.0f} bytes); "
                    "crop the image{}",
                    shape.y, shape.x, plane, largest_plane_bytes,
                    components > 1 ? fmt::format(", or omit fields with {} components (output.fields)", components) : ""));
}

std::int64_t plane_variable::bytes_per_plane() const {
  std::int64_t bytes = element_bytes;
  for (std::size_t extent : plane_shape) bytes *= static_cast<std::int64_t>(extent);
  return bytes;
}

layout define_layout(int file, const voxel::model_header& header, const char* schema, bool with_nodes,
                     const std::vector<std::pair<std::string, std::string>>& attributes) {
  const index3 n = header.shape;
  const vector3 h = header.spacing_mm, o = header.origin_mm;
  layout at;
  at.file = file;
  const auto define_axes = [&](std::array<int*, 3> ids, std::array<const char*, 3> names, std::int64_t more) {
    for (std::size_t a = 0; a < 3; ++a)
      *ids[a] = define_dimension(file, names[a], static_cast<std::size_t>(n[static_cast<int>(a)] + more));
    for (std::size_t a = 0; a < 3; ++a) define_coordinate(at, names[a], *ids[a], axis_names[a]);
  };
  define_axes({&at.z, &at.y, &at.x}, {"z", "y", "x"}, 0);
  if (with_nodes) {
    define_axes({&at.zn, &at.yn, &at.xn}, {"zn", "yn", "xn"}, 1);
    at.component = define_dimension(file, "c", 3);
  }
  at.hex = define_dimension(file, "hex", digest_length);
  put_text(file, NC_GLOBAL, "Conventions", "CF-1.11");
  put_text(file, NC_GLOBAL, "product_schema", schema);
  for (const auto& [name, text] : attributes) put_text(file, NC_GLOBAL, name.c_str(), text);
  const int incomplete = 0;
  check_netcdf(nc_put_att_int(file, NC_GLOBAL, "complete", NC_INT, 1, &incomplete), "write attribute 'complete'");

  at.vtk = define_group(file, "VTKHDF");
  at.cells = define_group(at.vtk, "CellData");
  at.points = define_group(at.vtk, "PointData");
  define_group(at.vtk, "FieldData");
  at.integrity = define_group(file, "integrity");
  const std::array<long long, 2> version{2, 0};
  const std::array<int, 6> extent{0, static_cast<int>(n.x), 0, static_cast<int>(n.y), 0, static_cast<int>(n.z)};
  const std::array<double, 3> origin{o.x, o.y, o.z}, spacing{h.x, h.y, h.z};
  const std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  check_netcdf(nc_put_att_longlong(at.vtk, NC_GLOBAL, "Version", NC_INT64, 2, version.data()), "write 'Version'");
  put_text(at.vtk, NC_GLOBAL, "Type", "ImageData");
  check_netcdf(nc_put_att_int(at.vtk, NC_GLOBAL, "WholeExtent", NC_INT, 6, extent.data()), "write 'WholeExtent'");
  check_netcdf(nc_put_att_double(at.vtk, NC_GLOBAL, "Origin", NC_DOUBLE, 3, origin.data()), "write 'Origin'");
  check_netcdf(nc_put_att_double(at.vtk, NC_GLOBAL, "Spacing", NC_DOUBLE, 3, spacing.data()), "write 'Spacing'");
  check_netcdf(nc_put_att_double(at.vtk, NC_GLOBAL, "Direction", NC_DOUBLE, 9, direction.data()), "write 'Direction'");
  return at;
}

plane_variable make_plane_variable(const std::string& name, int type, bool on_nodes, int components, index3 shape) {
  plane_variable v;
  v.name = name;
  v.type = type;
  v.on_nodes = on_nodes;
  v.element_bytes = type == NC_UBYTE ? 1 : type == NC_USHORT ? 2 : 4;
  const std::int64_t more = on_nodes ? 1 : 0;
  v.planes = shape.z + more;
  v.plane_shape = {static_cast<std::size_t>(shape.y + more), static_cast<std::size_t>(shape.x + more)};
  if (components > 1) v.plane_shape.push_back(static_cast<std::size_t>(components));
  v.chunk_planes = planes_per_chunk(v.planes, v.bytes_per_plane());
  return v;
}

void define_plane_variable(const layout& where, plane_variable& v, const storage& options) {
  v.group = v.on_nodes ? where.points : where.cells;
  std::vector<int> dimensions =
      v.on_nodes ? std::vector{where.zn, where.yn, where.xn} : std::vector{where.z, where.y, where.x};
  if (v.plane_shape.size() > 2) dimensions.push_back(v.plane_shape[2] == 3 ? where.component : voigt_dimension(where.file));
  const std::string action = fmt::format("define '{}'", v.name);
  v.id = define_variable(v.group, v.name, v.type, dimensions);
  // Filling is disabled, because every chunk is written. The call also removes the attribute _FillValue. Therefore the call
  // must precede the definition of the attribute.
  check_netcdf(nc_def_var_fill(v.group, v.id, NC_NOFILL, nullptr), action);
  if (v.type == NC_FLOAT) {
    const float empty = std::numeric_limits<float>::quiet_NaN();
    check_netcdf(nc_put_att_float(v.group, v.id, "_FillValue", NC_FLOAT, 1, &empty), action);
  }
  store_as(v, options);

  const int dimension[2] = {define_dimension(where.integrity, v.name + "_chunks", static_cast<std::size_t>(v.chunks())),
                            where.hex};
  const int digests = define_variable(where.integrity, v.name, NC_CHAR, dimension,
                                      "XXH3 (64 bits, no seed) of the little-endian values of consecutive z planes");
  put_text(where.integrity, digests, digest_attribute, digest_name);
  const long long planes = v.chunk_planes;
  check_netcdf(nc_put_att_longlong(where.integrity, digests, planes_attribute, NC_INT64, 1, &planes), action);
}

bool has_new_digests(int group, int variable) {
  std::size_t length = 0;
  nc_type type = NC_NAT;
  std::string text(std::string_view(digest_name).size(), '\0');
  return nc_inq_att(group, variable, digest_attribute, &type, &length) == NC_NOERR && type == NC_CHAR &&
         length == text.size() && nc_get_att_text(group, variable, digest_attribute, text.data()) == NC_NOERR &&
         text == digest_name;
}

int material_type(const voxel::material_table& materials) { return materials.size() <= 256 ? NC_UBYTE : NC_USHORT; }

plane_variable make_material_variable(const voxel::model_header& header) {
  return make_plane_variable("material", material_type(header.materials), false, 1, header.shape);
}

void define_material_attributes(const plane_variable& variable, const voxel::material_table& materials) {
  put_text(variable.group, variable.id, "long_name", "material number of the voxel");
  put_text(variable.group, variable.id, "units", "1");
  // Flags for thousands of materials would exceed the size limit of attributes.
  if (variable.type != NC_UBYTE) return;
  std::vector<unsigned char> values;
  std::string meanings;
  for (std::size_t i = 0; i < materials.size(); ++i) {
    values.push_back(static_cast<unsigned char>(i));
    std::string word = i == 0 ? "empty" : materials[i].name.empty() ? fmt::format("material_{}", i) : materials[i].name;
    for (char& c : word)  // CF: meanings are separated by blanks and consist of letters, digits and _ - . + @
      if (!std::isalnum(static_cast<unsigned char>(c)) && std::string("_-.+@").find(c) == std::string::npos) c = '_';
    meanings += (i == 0 ? "" : " ") + word;
  }
  if (values.empty()) return;
  check_netcdf(nc_put_att_uchar(variable.group, variable.id, "flag_values", NC_UBYTE, values.size(), values.data()),
               "write 'flag_values'");
  put_text(variable.group, variable.id, "flag_meanings", meanings);
}

netcdf_file::~netcdf_file() {
  if (id_ >= 0 && mode_ == use::reading) nc_close(id_);
}

namespace {

// Reason of the last HDF5 error: the innermost entry of the error stack.
std::string reason_of_hdf5() {
  std::string reason = "unknown reason";
  const auto note = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    if (error->desc && *error->desc) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note, &reason);
  return reason;
}

/// Create hard links to all fields in the root group, because programs display the root group first. netCDF cannot create
/// links.
void link_fields_in_root(hid_t file, const std::string& name, std::span<const plane_variable> variables) {
  for (const plane_variable& v : variables) {
    // If a node field and a cell field have the same name, the link refers to the node field.
    if (H5Lexists(file, v.name.c_str(), H5P_DEFAULT) > 0) continue;
    const std::string inner = fmt::format("/VTKHDF/{}/{}", v.on_nodes ? "PointData" : "CellData", v.name);
    if (H5Lcreate_hard(file, inner.c_str(), file, v.name.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
      throw machine_error(fmt::format("cannot link the field '{}' in '{}': {}; check the free space on the disk", v.name,
                                      name, reason_of_hdf5()));
  }
}

}  // namespace

void netcdf_file::close(const std::function<void(std::int64_t file)>& after) {
  if (mode_ == use::reading) return check_netcdf(nc_close(std::exchange(id_, -1)), "close the file");
  // netCDF crashes if HDF5 cannot write the remaining data of a file on closing. In this case, netCDF lists the open objects
  // of the file, including an object that no longer exists. Therefore all data are flushed before netCDF closes the file,
  // and HDF5 closes the file last.
  check_netcdf(nc_sync(id_), "write the file");
  std::size_t length = 0;
  check_netcdf(nc_inq_path(id_, &length, nullptr), "close the file");
  std::string name(length, '\0');
  check_netcdf(nc_inq_path(id_, nullptr, name.data()), "close the file");
  const hid_t last = H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  if (last < 0)
    throw machine_error(fmt::format("cannot close '{}': HDF5 cannot reopen the file: {}", name, reason_of_hdf5()));
  const int status = nc_close(std::exchange(id_, -1));
  std::exception_ptr fault;
  if (status == NC_NOERR && after) try {
      after(last);
    } catch (...) {
      fault = std::current_exception();
    }
  const bool closed = H5Fclose(last) >= 0;
  if (fault) std::rethrow_exception(fault);
  check_netcdf(status, "close the file");
  if (!closed)
    throw machine_error(fmt::format("cannot write the remaining data of '{}': {}; check the free space on the disk", name,
                                    reason_of_hdf5()));
}

netcdf_file open_to_read(const std::string& path, const char* kind) {
  int id = -1;
  check_netcdf(nc_open(netcdf_path(path), NC_NOWRITE, &id), fmt::format("open {}'{}'", kind, path), error_kind::data);
  return netcdf_file(id);
}

void finish_file(const std::string& name, const voxel::model_header& header, bool with_nodes,
                 std::span<const plane_variable> variables, std::span<const std::string> digests) {
  int id = -1;
  check_netcdf(nc_open(netcdf_path(name), NC_WRITE, &id), fmt::format("open '{}' again", name));
  netcdf_file file(id, netcdf_file::use::writing);
  write_coordinates(id, header, with_nodes);
  int integrity = -1;
  check_netcdf(nc_inq_ncid(id, "integrity", &integrity), "find the group 'integrity'");
  for (std::size_t i = 0; i < variables.size(); ++i)
    check_netcdf(nc_put_var_text(integrity, find_variable(integrity, variables[i].name), digests[i].data()),
                 fmt::format("write the digests of '{}'", variables[i].name));
  put_text(integrity, NC_GLOBAL, metadata_attribute, metadata_digest(id));
  const int complete = 1;
  check_netcdf(nc_put_att_int(id, NC_GLOBAL, "complete", NC_INT, 1, &complete), "write attribute 'complete'");
  file.close([&](std::int64_t last) { link_fields_in_root(last, name, variables); });
}

void use_no_hdf5_locks() { setenv(hdf5_locks, "FALSE", 0); }

without_hdf5_locks::without_hdf5_locks() : was_set_(std::getenv(hdf5_locks)) { use_no_hdf5_locks(); }

without_hdf5_locks::~without_hdf5_locks() {
  if (!was_set_) unsetenv(hdf5_locks);
}

void leave_hdf5_at_exit() {
  H5dont_atexit();
  H5open();  // if HDF5 were initialised after MPI, HDF5 would clean up in MPI_Finalize
}

}  // namespace osteon::io
