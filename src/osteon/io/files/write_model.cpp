#include <fmt/format.h>
#include <netcdf.h>
#include <omp.h>

#include <algorithm>
#include <osteon/base/stopwatch.hpp>
#include <osteon/base/xxh3.hpp>
#include <osteon/io/chunked/chunk_index.hpp>
#include <osteon/io/chunked/encode_chunks.hpp>
#include <osteon/io/chunked/seal.hpp>
#include <osteon/io/files/model_checks.hpp>
#include <osteon/io/files/model_conditions.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {
namespace {

struct table_variables {
  int name = -1, modulus = -1, poisson = -1, conductivity = -1, active = -1;
};

table_variables define_table(const layout& at, const voxel::model_header& header) {
  const int group = define_group(at.file, "model");
  const int dimension[2] = {define_dimension(group, "material", header.materials.size()),
                            define_dimension(group, "text", largest_name)};
  const std::span one(dimension, 1);
  table_variables v;
  v.name = define_variable(group, "name", NC_CHAR, dimension, "name of the material");
  v.modulus = define_variable(group, "youngs_modulus", NC_DOUBLE, one, "Young's modulus", "MPa");
  v.poisson = define_variable(group, "poisson_ratio", NC_DOUBLE, one, "Poisson's ratio", "1");
  v.conductivity = define_variable(group, "conductivity", NC_DOUBLE, one, "thermal conductivity", "W m-1 K-1");
  v.active = define_variable(group, "active_per_plane", NC_INT64, {&at.z, 1}, "active voxels of each z plane", "1");
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

/// Chunks that are encoded at a time need about 8 MiB each.
constexpr int most_chunks_at_once = 16;

}  // namespace

file_report write_model(const std::string& path, const voxel::model_header& header,
                        const plane_source<material_number>& make, const storage& stored) {
  const stopwatch watch;
  check_storage(stored);
  check_header(header);

  temporary_file temporary(path);
  const std::string& name = temporary.name();
  int id = -1;
  check_netcdf(nc_create(netcdf_path(name), NC_NETCDF4 | NC_CLOBBER, &id), fmt::format("create '{}'", name));
  netcdf_file file(id, netcdf_file::use::writing);
  const layout at = define_layout(id, header, model_schema, false,
                                  {{"title", "voxel model"},
                                   {"source", header.source},
                                   {"source_sha256", header.source_sha256},
                                   {"provenance", header.provenance_json}});
  const table_variables table = define_table(at, header);
  plane_variable v = make_material_variable(header);
  define_plane_variable(at, v, stored);
  define_material_attributes(v, header.materials);
  const std::int64_t metadata = (std::int64_t{1} << 20) + 512 * std::ssize(header.materials) + 1024 * v.chunks() +
                                16 * header.shape.z + bytes_of_conditions(header) +
                                static_cast<std::int64_t>(header.source.size() + header.provenance_json.size());
  reserve_space(name, metadata);
  check_netcdf(nc_enddef(id), fmt::format("create '{}'", name));
  write_table(id, table, header);
  std::string digests;
  const std::int64_t plane = v.bytes_per_plane(), plane_voxels = header.shape.y * header.shape.x;
  std::vector<material_number> part;
  std::vector<std::uint8_t> narrow;
  const auto values_of = [&](std::int64_t z, std::int64_t planes) {
    part.resize(static_cast<std::size_t>(planes * plane_voxels));
    make(z, planes, part);
    check_voxels(path, header, z, part);
    if (v.type != NC_UBYTE) return std::as_bytes(std::span(part));
    narrow.assign(part.begin(), part.end());
    return std::as_bytes(std::span(narrow));
  };
  if (stored.method == compression::none) {
    for (std::int64_t z = 0; z < v.planes; z += v.chunk_planes) {
      const std::int64_t planes = std::min(v.chunk_planes, v.planes - z);
      const std::span<const std::byte> bytes = values_of(z, planes);
      const std::size_t start[3] = {static_cast<std::size_t>(z), 0, 0};
      const std::size_t count[3] = {static_cast<std::size_t>(planes), v.plane_shape[0], v.plane_shape[1]};
      // The library caches up to 64 MiB of chunks. Therefore the file on disk may not contain all written planes yet.
      reserve_space(name, metadata + std::min(z * plane, std::int64_t{64} << 20) + 2 * planes * plane);
      check_netcdf(nc_put_vara(v.group, v.id, start, count, bytes.data()), fmt::format("write the voxels of '{}'", name));
      digests += xxh3_of(bytes);
    }
    file.close();
  } else {
    // The threads encode a batch of chunks, and HDF5 stores the encoded chunks in order.
    const std::int64_t batch = v.chunk_planes * std::clamp(omp_get_max_threads(), 1, most_chunks_at_once);
    file.close([&](std::int64_t opened) {
      for (std::int64_t z = 0; z < v.planes; z += batch) {
        const std::int64_t planes = std::min(batch, v.planes - z);
        const encoded_piece piece = encode_chunks(v, stored, {z, z + planes}, values_of(z, planes));
        digests += piece.value_digests;
        reserve_space(name, metadata + 2 * planes * plane);
        store_chunks(opened, v, piece, name);
      }
    });
  }
  reserve_space(name, metadata);
  finish_file(name, header, false, std::span(&v, 1), std::span(&digests, 1));
  append_seal(name);
  release_reserve(name);
  const file_report report{size_of_file(name), v.planes * v.bytes_per_plane(), 0, access_mode::serial,
                           file_system_of(path).name};
  temporary.commit();
  return {report.bytes, report.values, watch.seconds(), report.mode, report.system};
}

file_report write_model(const std::string& path, const voxel::model_header& header, view3<const material_number> material,
                        const storage& stored) {
  if (!(material.shape() == header.shape))
    throw data_error(fmt::format("the shape of the voxels ({} x {} x {}) differs from the header ({} x {} x {})",
                                 material.extent(0), material.extent(1), material.extent(2), header.shape.z, header.shape.y,
                                 header.shape.x));
  const auto copy = [material](std::int64_t first, std::int64_t, std::span<material_number> values) {
    std::copy_n(material.data_handle() + first * material.extent(1) * material.extent(2), values.size(), values.begin());
  };
  return write_model(path, header, copy, stored);
}

}  // namespace osteon::io
