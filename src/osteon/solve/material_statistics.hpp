#pragma once
/// @file
/// Statistics of cell fields for each material.
#include <mpi.h>

#include <cstdint>
#include <osteon/solve/post.hpp>
#include <span>
#include <vector>

namespace osteon::solve {

struct material_statistics {
  std::uint8_t material = 0;
  std::int64_t voxels = 0;
  std::vector<field_statistics> fields;  ///< in the order of the fields
};

/// Statistics for the materials that occur on any rank, ascending. Exact, and the percentiles are the same for every
/// number of ranks.
/// @param material number of each voxel's material
/// @param fields non-negative and finite, one value per voxel
/// @collective on comm @cost two allreduces and four per field, of at most 2 MiB (255 materials, four fractions, 256
/// counters), whatever the number of materials
std::vector<material_statistics> statistics_by_material(MPI_Comm comm, std::span<const std::uint8_t> material,
                                                        const std::vector<std::span<const float>>& fields);

}  // namespace osteon::solve
