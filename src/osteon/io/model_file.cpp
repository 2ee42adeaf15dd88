#include <osteon/io/model_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <osteon/base/digest.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/io/model_conditions.hpp>
#include <osteon/io/model_header_bytes.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {
namespace {

// HDF5 may crash on a damaged index or never return, so its bytes are checked before it sees them: behind the netCDF
// part lies a seal, this magic word and the SHA-256 of all bytes before it.
constexpr std::string_view seal_magic = "\nosteon-model-seal-1\n";
constexpr std::size_t seal_length = seal_magic.size() + digest_length;
constexpr std::size_t largest_name = 256, largest_text = std::size_t{16} << 20;

std::string seal_of(const std::string& path, std::int64_t length) {
  std::ifstream file(path, std::ios::binary);
  sha256 digest;
  std::vector<char> buffer(1 << 20);
  for (std::int64_t left = length; left > 0;) {
    const auto part = static_cast<std::streamsize>(std::min<std::int64_t>(left, std::ssize(buffer)));
    if (!file.read(buffer.data(), part)) throw data_error(fmt::format("cannot read '{}' to its end", path));
    digest.update(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(part))));
    left -= part;
  }
  return std::string(seal_magic) + digest.hex();
}

void append_seal(const std::string& path) {
  const std::string seal = seal_of(path, size_of_file(path));
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << seal;
  file.close();
  if (!file) throw machine_error(fmt::format("cannot write the seal of '{}': {}", path, std::strerror(errno)));
}

void check_seal(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw data_error(fmt::format("cannot read the model '{}': {}", path, std::strerror(errno)));
  const std::int64_t length = static_cast<std::int64_t>(file.tellg()) - static_cast<std::int64_t>(seal_length);
  std::string seal(seal_length, '\0');
  if (length > 0) file.seekg(length).read(seal.data(), static_cast<std::streamsize>(seal_length));
  if (length <= 0 || !file || !seal.starts_with(seal_magic))
    throw data_error(
        fmt::format("'{}' is no complete model of osteon: it does not end with a seal (truncated, changed by "
                    "another program, or another kind of file); import the image again",
                    path));
  if (seal != seal_of(path, length))
    throw data_error(
        fmt::format("the model '{}' is damaged: its bytes do not match its seal; import the image again", path));
}

void check_header(const voxel::model_header& header) {
  check_geometry(header.shape, header.spacing_mm, header.origin_mm);
  if (header.materials.empty() || header.materials.size() > 256)
    throw data_error(fmt::format("the model has {} materials; 1 to 256 can be stored", header.materials.size()));
  for (const auto& m : header.materials)
    if (m.name.size() > largest_name || !std::isfinite(m.youngs_modulus_MPa) || !std::isfinite(m.poisson_ratio) ||
        !std::isfinite(m.conductivity_W_per_mK))
      throw data_error(fmt::format(
          "the material '{:.40}' has a property that is not finite, or a name of more than {} bytes", m.name, largest_name));
  if (std::ssize(header.active_per_plane) != header.shape.z)
    throw data_error(fmt::format("the model counts active voxels of {} planes; it has {}", header.active_per_plane.size(),
                                 header.shape.z));
  for (std::int64_t active : header.active_per_plane)
    if (active < 0 || active > header.shape.y * header.shape.x)
      throw data_error(
          fmt::format("a plane of {} x {} voxels cannot have {} active ones", header.shape.y, header.shape.x, active));
  if (header.source.size() + header.source_sha256.size() + header.provenance_json.size() > largest_text)
    throw data_error(fmt::format("the provenance of the model is longer than {} bytes", largest_text));
}

/// Voxels name materials of the table, and their number in each plane is the one of the header.
void check_voxels(const std::string& path, const voxel::model_header& header, std::int64_t first_plane,
                  std::span<const std::uint8_t> material) {
  const std::int64_t plane = header.shape.y * header.shape.x;
  for (std::int64_t z = 0; z * plane < std::ssize(material); ++z) {
    std::int64_t active = 0;
    for (std::uint8_t m : material.subspan(static_cast<std::size_t>(z * plane), static_cast<std::size_t>(plane))) {
      if (m >= header.materials.size())
        throw data_error(fmt::format("a voxel of plane {} of '{}' has material {}; the table has {}", first_plane + z, path,
                                     m, header.materials.size()));
      active += m != 0;
    }
    const std::int64_t expected = header.active_per_plane[static_cast<std::size_t>(first_plane + z)];
    if (active != expected)
      throw data_error(fmt::format("plane {} of '{}' has {} active voxels, but its header says {}", first_plane + z, path,
                                   active, expected));
  }
}

struct table_variables {
  int name = -1, modulus = -1, poisson = -1, conductivity = -1, active = -1;
};

table_variables define_table(const layout& at, const voxel::model_header& header) {
  int group = -1, dimension[2] = {-1, -1};
  check_netcdf(nc_def_grp(at.file, "model", &group), "define group 'model'");
  check_netcdf(nc_def_dim(group, "material", header.materials.size(), &dimension[0]), "define dimension 'material'");
  check_netcdf(nc_def_dim(group, "text", largest_name, &dimension[1]), "define dimension 'text'");
  const auto define = [&](const char* name, int type, int rank, const int* dimensions, const char* units, const char* text) {
    int id = -1;
    check_netcdf(nc_def_var(group, name, type, rank, dimensions, &id), fmt::format("define '{}'", name));
    put_text(group, id, "long_name", text);
    if (*units != '\0') put_text(group, id, "units", units);
    return id;
  };
  table_variables v;
  v.name = define("name", NC_CHAR, 2, dimension, "", "name of the material");
  v.modulus = define("youngs_modulus", NC_DOUBLE, 1, dimension, "MPa", "Young's modulus");
  v.poisson = define("poisson_ratio", NC_DOUBLE, 1, dimension, "1", "Poisson's ratio");
  v.conductivity = define("conductivity", NC_DOUBLE, 1, dimension, "W m-1 K-1", "thermal conductivity");
  v.active = define("active_per_plane", NC_INT64, 1, &at.z, "1", "active voxels of each z plane");
  define_conditions(group, header);
  return v;
}

void write_table(int file, const table_variables& v, const voxel::model_header& header) {
  int group = -1;
  check_netcdf(nc_inq_ncid(file, "model", &group), "find group 'model'");
  std::string names(header.materials.size() * largest_name, '\0');
  std::vector<double> modulus, poisson, conductivity;
  for (std::size_t i = 0; i < header.materials.size(); ++i) {
    const auto& m = header.materials[i];
    std::copy(m.name.begin(), m.name.end(), names.begin() + static_cast<std::ptrdiff_t>(i * largest_name));
    modulus.push_back(m.youngs_modulus_MPa);
    poisson.push_back(m.poisson_ratio);
    conductivity.push_back(m.conductivity_W_per_mK);
  }
  const std::vector<long long> active(header.active_per_plane.begin(), header.active_per_plane.end());
  check_netcdf(nc_put_var_text(group, v.name, names.data()), "write the material names");
  check_netcdf(nc_put_var_double(group, v.modulus, modulus.data()), "write the material table");
  check_netcdf(nc_put_var_double(group, v.poisson, poisson.data()), "write the material table");
  check_netcdf(nc_put_var_double(group, v.conductivity, conductivity.data()), "write the material table");
  check_netcdf(nc_put_var_longlong(group, v.active, active.data()), "write the active voxels of each plane");
  write_conditions(group, header);
}

/// Reads what a model file must have; every absence is a data_error.
class model_reader {
 public:
  explicit model_reader(const std::string& path) : path_(path), file_(open(path)) {
    if (text(file_.id(), "product_schema") != model_schema)
      throw data_error(fmt::format("'{}' is not of the schema '{}'; import the image again", path, model_schema));
    int complete = 0;
    check(nc_get_att_int(file_.id(), NC_GLOBAL, "complete", &complete), "complete");
    if (complete != 1)
      throw data_error(fmt::format("the model '{}' was not written to its end; import the image again", path));
  }
  int id() const { return file_.id(); }

  void check(int status, const std::string& what) const {
    check_netcdf(status, fmt::format("read '{}' of the model '{}'", what, path_), error_kind::data);
  }
  int group(const char* name) const {
    int id = -1;
    check(nc_inq_grp_full_ncid(file_.id(), name, &id), name);
    return id;
  }
  std::size_t length(int group_id, const char* name) const {
    int dimension = -1;
    std::size_t value = 0;
    check(nc_inq_dimid(group_id, name, &dimension), name);
    check(nc_inq_dimlen(group_id, dimension, &value), name);
    return value;
  }
  std::string text(int group_id, const char* name) const {
    std::size_t size = 0;
    nc_type type = NC_NAT;
    check(nc_inq_att(group_id, NC_GLOBAL, name, &type, &size), name);
    if (type != NC_CHAR || size > largest_text)
      throw data_error(fmt::format("the attribute '{}' of '{}' is no text of at most {} bytes", name, path_, largest_text));
    std::string value(size, '\0');
    check(nc_get_att_text(group_id, NC_GLOBAL, name, value.data()), name);
    return value;
  }
  vector3 triple_xyz(int group_id, const char* name) const {
    std::size_t size = 0;
    check(nc_inq_attlen(group_id, NC_GLOBAL, name, &size), name);
    std::array<double, 3> v{};
    if (size != v.size())
      throw data_error(fmt::format("the attribute '{}' of '{}' has {} values instead of 3", name, path_, size));
    check(nc_get_att_double(group_id, NC_GLOBAL, name, v.data()), name);
    return {v[2], v[1], v[0]};
  }
  /// A variable with the extents that are expected.
  int variable(int group_id, const char* name, int type, const std::vector<std::size_t>& extents) const {
    int id = -1, rank = 0;
    nc_type found = NC_NAT;
    check(nc_inq_varid(group_id, name, &id), name);
    check(nc_inq_var(group_id, id, nullptr, &found, &rank, nullptr, nullptr), name);
    bool same = found == type && rank == static_cast<int>(extents.size());
    if (same) {
      std::vector<int> dimensions(extents.size());
      check(nc_inq_vardimid(group_id, id, dimensions.data()), name);
      for (std::size_t i = 0; i < extents.size(); ++i) {
        std::size_t extent = 0;
        check(nc_inq_dimlen(group_id, dimensions[i], &extent), name);
        same = same && extent == extents[i];
      }
    }
    if (!same)
      throw data_error(fmt::format("the variable '{}' of '{}' does not have the type and shape of a model", name, path_));
    return id;
  }

 private:
  static netcdf_file open(const std::string& path) {
    int id = -1;
    check_netcdf(nc_open(path.c_str(), NC_NOWRITE, &id), fmt::format("open the model '{}'", path), error_kind::data);
    return netcdf_file(id);
  }
  std::string path_;
  netcdf_file file_;
};

voxel::model_header read_header(const std::string& path) {
  check_seal(path);
  const model_reader file(path);
  voxel::model_header header;
  const auto extent = [&](const char* name) {
    return static_cast<std::int64_t>(std::min<std::size_t>(file.length(file.id(), name), INT64_MAX));
  };
  header.shape = {extent("z"), extent("y"), extent("x")};
  const int vtk = file.group("/VTKHDF"), group = file.group("/model");
  header.spacing_mm = file.triple_xyz(vtk, "Spacing");
  header.origin_mm = file.triple_xyz(vtk, "Origin");
  check_geometry(header.shape, header.spacing_mm, header.origin_mm);
  const std::size_t materials = file.length(group, "material"), planes = static_cast<std::size_t>(header.shape.z);
  if (materials < 1 || materials > 256)
    throw data_error(fmt::format("'{}' has {} materials; allowed are 1 to 256", path, materials));
  std::string names(materials * largest_name, '\0');
  std::vector<double> modulus(materials), poisson(materials), conductivity(materials);
  std::vector<long long> active(planes);
  file.check(nc_get_var_text(group, file.variable(group, "name", NC_CHAR, {materials, largest_name}), names.data()), "name");
  file.check(nc_get_var_double(group, file.variable(group, "youngs_modulus", NC_DOUBLE, {materials}), modulus.data()),
             "youngs_modulus");
  file.check(nc_get_var_double(group, file.variable(group, "poisson_ratio", NC_DOUBLE, {materials}), poisson.data()),
             "poisson_ratio");
  file.check(nc_get_var_double(group, file.variable(group, "conductivity", NC_DOUBLE, {materials}), conductivity.data()),
             "conductivity");
  file.check(nc_get_var_longlong(group, file.variable(group, "active_per_plane", NC_INT64, {planes}), active.data()),
             "active_per_plane");
  for (std::size_t i = 0; i < materials; ++i) {
    const std::string name = names.substr(i * largest_name, largest_name);
    header.materials.push_back({name.substr(0, name.find('\0')), modulus[i], poisson[i], conductivity[i]});
  }
  header.active_per_plane.assign(active.begin(), active.end());
  header.source = file.text(file.id(), "source");
  header.source_sha256 = file.text(file.id(), "source_sha256");
  header.provenance_json = file.text(file.id(), "provenance");
  header.conditions = read_conditions(group, header.shape, path);
  check_header(header);
  return header;
}

}  // namespace

void write_model(const std::string& path, const voxel::model_header& header, view3<const std::uint8_t> material) {
  check_header(header);
  if (!(material.shape() == header.shape))
    throw data_error(fmt::format("the voxels have the shape {} x {} x {}, the header {} x {} x {}", material.extent(0),
                                 material.extent(1), material.extent(2), header.shape.z, header.shape.y, header.shape.x));
  const std::span<const std::uint8_t> voxels(material.data_handle(), static_cast<std::size_t>(material.size()));
  check_voxels(path, header, 0, voxels);

  temporary_file temporary(path);
  const std::string& name = temporary.name();
  int id = -1;
  check_netcdf(nc_create(name.c_str(), NC_NETCDF4 | NC_CLOBBER, &id), fmt::format("create '{}'", name));
  netcdf_file file(id);
  const layout at = define_layout(id, header, model_schema, false,
                                  {{"title", "voxel model"},
                                   {"source", header.source},
                                   {"source_sha256", header.source_sha256},
                                   {"provenance", header.provenance_json}});
  const table_variables table = define_table(at, header);
  const plane_variable v = define_plane_variable(at, "material", NC_UBYTE, false, 1, header.shape);
  define_material_attributes(v, header.materials);
  const std::int64_t metadata = (std::int64_t{1} << 20) + 1024 * v.chunks() + 16 * header.shape.z +
                                bytes_of_conditions(header) +
                                static_cast<std::int64_t>(header.source.size() + header.provenance_json.size());
  reserve_space(name, metadata);
  check_netcdf(nc_enddef(id), fmt::format("create '{}'", name));
  write_table(id, table, header);
  std::string digests;
  const std::int64_t plane = v.bytes_per_plane();
  for (std::int64_t z = 0; z < v.planes; z += v.chunk_planes) {
    const std::int64_t planes = std::min(v.chunk_planes, v.planes - z);
    const auto part = voxels.subspan(static_cast<std::size_t>(z * plane), static_cast<std::size_t>(planes * plane));
    const std::size_t start[3] = {static_cast<std::size_t>(z), 0, 0};
    const std::size_t count[3] = {static_cast<std::size_t>(planes), v.plane_shape[0], v.plane_shape[1]};
    // chunks wait in the library's cache (64 MiB at most), so the end of the file lags behind
    reserve_space(name, metadata + std::min(z * plane, std::int64_t{64} << 20) + 2 * planes * plane);
    check_netcdf(nc_put_vara_uchar(v.group, v.id, start, count, part.data()), fmt::format("write the voxels of '{}'", name));
    digests += sha256_of(std::as_bytes(part));
  }
  file.close();
  reserve_space(name, metadata);
  finish_file(name, header, false, std::span(&v, 1), std::span(&digests, 1));
  append_seal(name);
  release_reserve(name);
  temporary.commit();
}

voxel::model_header read_model_header(const std::string& path) { return read_header(path); }

voxel::model_header read_model_header(MPI_Comm comm, const std::string& path) {
  voxel::model_header header;
  std::vector<char> bytes;
  std::int64_t size = 0;
  comm::together(comm, [&] {
    if (comm::rank(comm) != 0) return;
    header = read_header(path);
    bytes = pack(header);
    size = std::ssize(bytes);
  });
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  comm::together(comm, [&] { bytes.resize(static_cast<std::size_t>(size)); });
  MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  comm::together(comm, [&] { header = unpack(bytes); });
  return header;
}

std::vector<std::uint8_t> read_model_planes(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                                            const box3& part) {
  std::vector<std::uint8_t> result;
  comm::together(comm, [&] {
    if (part.empty()) return;
    const model_reader file(path);
    const index3 n = header.shape;
    const std::int64_t plane = n.y * n.x, k = planes_per_chunk(n.z, plane), begin = part.begin.z, end = part.end.z;
    const std::size_t chunks = static_cast<std::size_t>((n.z + k - 1) / k);
    const int cells = file.group("/VTKHDF/CellData"), integrity = file.group("/integrity");
    const int id =
        file.variable(cells, "material", NC_UBYTE,
                      {static_cast<std::size_t>(n.z), static_cast<std::size_t>(n.y), static_cast<std::size_t>(n.x)});
    const int digest_id = file.variable(integrity, "material", NC_CHAR, {chunks, digest_length});
    int storage = NC_CONTIGUOUS;
    std::array<std::size_t, 3> stored{};
    file.check(nc_inq_var_chunking(cells, id, &storage, stored.data()), "material");
    if (storage != NC_CHUNKED ||
        stored != std::array{static_cast<std::size_t>(k), static_cast<std::size_t>(n.y), static_cast<std::size_t>(n.x)})
      throw data_error(
          fmt::format("the voxels of '{}' are not stored in chunks of {} planes; import the image again", path, k));
    result.reserve(static_cast<std::size_t>((end - begin) * plane));
    std::vector<std::uint8_t> chunk;
    for (std::int64_t z = begin / k * k; z < end; z += k) {
      const std::int64_t planes = std::min(k, n.z - z);
      chunk.resize(static_cast<std::size_t>(planes * plane));
      const std::size_t start[3] = {static_cast<std::size_t>(z), 0, 0};
      const std::size_t count[3] = {static_cast<std::size_t>(planes), static_cast<std::size_t>(n.y),
                                    static_cast<std::size_t>(n.x)};
      file.check(nc_get_vara_uchar(cells, id, start, count, chunk.data()), "material");
      std::string digest(digest_length, '\0');
      const std::size_t row[2] = {static_cast<std::size_t>(z / k), 0}, length[2] = {1, digest_length};
      file.check(nc_get_vara_text(integrity, digest_id, row, length, digest.data()), "digests");
      if (sha256_of(std::as_bytes(std::span(chunk))) != digest)
        throw data_error(
            fmt::format("planes {} to {} of '{}' are damaged: they do not match their digest; import the image again", z,
                        z + planes - 1, path));
      const std::int64_t from = std::max(begin, z) - z, to = std::min(end, z + planes) - z;
      result.insert(result.end(), chunk.begin() + from * plane, chunk.begin() + to * plane);
    }
    check_voxels(path, header, begin, result);
  });
  return result;
}

std::vector<std::uint8_t> read_model_planes(const std::string& path, const voxel::model_header& header,
                                            const grid::block& where) {
  return read_model_planes(where.comm, path, header, where.owned);
}

}  // namespace osteon::io
