#include <osteon/io/files/model_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/io/netcdf.hpp>

namespace osteon::io {

void check_header(const voxel::model_header& header) {
  check_geometry(header.shape, header.spacing_mm, header.origin_mm);
  if (header.materials.empty() || header.materials.size() > most_materials + 1)
    throw data_error(
        fmt::format("number of materials of the model ({}): must be 1 to {}", header.materials.size(), most_materials + 1));
  for (const auto& m : header.materials)
    if (m.name.size() > largest_name || !std::isfinite(m.youngs_modulus_MPa) || !std::isfinite(m.poisson_ratio) ||
        !std::isfinite(m.conductivity_W_per_mK))
      throw data_error(fmt::format("material '{:.40}': properties must be finite, and the name must not exceed {} bytes",
                                   m.name, largest_name));
  if (std::ssize(header.active_per_plane) != header.shape.z)
    throw data_error(fmt::format("the model contains counts of active voxels for {} planes, but has {} planes",
                                 header.active_per_plane.size(), header.shape.z));
  for (std::int64_t active : header.active_per_plane)
    if (active < 0 || active > header.shape.y * header.shape.x)
      throw data_error(
          fmt::format("a plane of {} x {} voxels cannot have {} active voxels", header.shape.y, header.shape.x, active));
  if (header.conditions.size() > most_conditions)
    throw data_error(fmt::format("number of conditions of the model ({}): must be at most {}", header.conditions.size(),
                                 most_conditions));
  if (header.source.size() + header.source_sha256.size() + header.provenance_json.size() > largest_text)
    throw data_error(fmt::format("the provenance of the model exceeds {} bytes", largest_text));
}

namespace {

struct voxel_count {
  std::int64_t active = 0;
  material_number largest = 0;
};

// Count in pieces with 16-bit counters. Small counters increase the number of voxels in a SIMD vector.
voxel_count count_active(std::span<const material_number> material) {
  constexpr std::size_t most = 32768;
  voxel_count all;
  for (; !material.empty(); material = material.subspan(std::min(most, material.size()))) {
    std::uint16_t active = 0;  // at most 32768
    for (const material_number m : material.first(std::min(most, material.size()))) {
      active = static_cast<std::uint16_t>(active + (m != 0));
      all.largest = std::max(all.largest, m);
    }
    all.active += active;
  }
  return all;
}

}  // namespace

void check_voxels(const std::string& path, const voxel::model_header& header, std::int64_t first_plane,
                  std::span<const material_number> material) {
  const std::int64_t plane = header.shape.y * header.shape.x;
  for (std::int64_t z = 0; z * plane < std::ssize(material); ++z) {
    const auto [active, largest] =
        count_active(material.subspan(static_cast<std::size_t>(z * plane), static_cast<std::size_t>(plane)));
    if (largest >= header.materials.size())
      throw data_error(fmt::format("'{}': a voxel of plane {} has material {}, but the table contains {} materials", path,
                                   first_plane + z, largest, header.materials.size()));
    const std::int64_t expected = header.active_per_plane[static_cast<std::size_t>(first_plane + z)];
    if (active != expected)
      throw data_error(fmt::format("'{}': plane {} has {} active voxels, but the header states {}", path, first_plane + z,
                                   active, expected));
  }
}

}  // namespace osteon::io
