#pragma once
// A small image whose values are functions of the position, so that any decomposition can be checked.
#include <mpi.h>

#include <unistd.h>
#include <cmath>
#include <functional>
#include <limits>
#include <osteon/grid/block.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/voxel/model.hpp>

namespace osteon::sample {

inline material_number material_at(std::int64_t z, std::int64_t y, std::int64_t x) {
  return z % 5 == 3 ? 0 : static_cast<material_number>((z * 7 + y * 3 + x * x) % 3);
}
inline float cell_at(std::int64_t z, std::int64_t y, std::int64_t x) {
  if (material_at(z, y, x) == 0) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(z) + 0.25f * static_cast<float>(y) - 0.125f * static_cast<float>(x);
}
/// Component c (x, y, z) of a field whose value is the position of the node.
inline float node_at(std::int64_t z, std::int64_t y, std::int64_t x, int c) {
  if ((z + y + x) % 11 == 0) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(c == 0 ? x : c == 1 ? y : z);
}

/// Component c (xx, yy, zz, xy, yz, xz) of a tensor.
inline float tensor_at(std::int64_t z, std::int64_t y, std::int64_t x, int c) {
  return cell_at(z, y, x) * static_cast<float>(c + 1);
}

inline voxel::model_header header(index3 shape) {
  voxel::model_header h;
  h.shape = shape;
  h.spacing_mm = {0.3, 0.2, 0.1};
  h.origin_mm = {3, 2, 1};
  h.materials = {{"empty", 0, 0.3, 0}, {"trabecular bone", 1000, 0.3, 0.4}, {"cortical", 17000, 0.33, 0.5}};
  h.active_per_plane.resize(static_cast<std::size_t>(shape.z));
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y)
      for (std::int64_t x = 0; x < shape.x; ++x)
        h.active_per_plane[static_cast<std::size_t>(z)] += material_at(z, y, x) != 0;
  h.source = "sample";
  h.source_sha256 = std::string(64, 'a');
  h.provenance_json = R"({"threshold": 120})";
  return h;
}

inline std::vector<material_number> materials(const box3& part) {
  std::vector<material_number> v;
  for (std::int64_t z = part.begin.z; z < part.end.z; ++z)
    for (std::int64_t y = part.begin.y; y < part.end.y; ++y)
      for (std::int64_t x = part.begin.x; x < part.end.x; ++x) v.push_back(material_at(z, y, x));
  return v;
}
inline std::vector<material_number> materials(index3 n, std::int64_t begin, std::int64_t end) {
  return materials({{begin, 0, 0}, {end, n.y, n.x}});
}

inline const std::vector<io::field_info> fields{{"sed", "strain energy density", "MPa", io::centring::cell, 1},
                                                {"strain", "strain", "1", io::centring::cell, 6},
                                                {"displacement", "displacement", "mm", io::centring::node, 3}};

/// Writes all variables and closes the file. On the rank above each cut, the nodes of the lowest plane with even x + y are
/// missing.
inline std::int64_t write(const std::string& path, const grid::block& where, const voxel::model_header& h,
                          const io::access& how = {}, bool close = true, const io::storage& stored = {},
                          const std::function<void()>& before_close = {}) {
  const index3 low = where.owned.begin, high = where.owned.end;
  const std::int64_t begin = low.z, end = high.z;
  auto writer = io::result_writer::create(path, where, h, fields, {{"title", "sample"}, {"provenance", "{}"}}, how, stored);
  writer.write_material(materials(where.owned));
  std::vector<float> sed, strain, displacement;
  for (std::int64_t z = begin; z < end; ++z)
    for (std::int64_t y = low.y; y < high.y; ++y)
      for (std::int64_t x = low.x; x < high.x; ++x) {
        sed.push_back(cell_at(z, y, x));
        for (int c = 0; c < 6; ++c) strain.push_back(tensor_at(z, y, x, c));
      }
  for (std::int64_t z = begin; z <= end; ++z)
    for (std::int64_t y = low.y; y <= high.y; ++y)
      for (std::int64_t x = low.x; x <= high.x; ++x)
        for (int c = 0; c < 3; ++c)
          displacement.push_back(z == begin && begin > 0 && (x + y) % 2 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                                                             : node_at(z, y, x, c));
  writer.write_cells("sed", sed);
  writer.write_cells("strain", strain);
  writer.write_nodes("displacement", displacement);
  if (before_close) before_close();
  return close ? writer.close().bytes : 0;
}

/// A path in the temporary directory. The path is equal on all ranks.
inline std::string shared_path(const std::string& name) {
  int pid = static_cast<int>(::getpid());
  MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return "/tmp/osteon_" + std::to_string(pid) + "_" + name;
}

}  // namespace osteon::sample
