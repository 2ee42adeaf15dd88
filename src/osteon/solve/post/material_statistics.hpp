#pragma once
/// @file
/// Statistics of cell fields for each material.
#include <mpi.h>

#include <cstdint>
#include <osteon/base/material_number.hpp>
#include <osteon/solve/post/field_statistics.hpp>
#include <span>
#include <vector>

namespace osteon::solve {

struct material_statistics {
  material_number material = 0;
  std::int64_t voxels = 0;
  std::vector<field_statistics> fields;  ///< in the order of the fields
};

/// Statistics for the materials that occur on any rank, ascending. Exact, and the percentiles are the same for every
/// number of ranks.
/// @param material number of each voxel's material
/// @param fields non-negative and finite, one value per voxel
/// @collective on comm @cost three allreduces and four per field, of 8 KiB for each material (four fractions, 256 counters)
std::vector<material_statistics> statistics_by_material(MPI_Comm comm, std::span<const material_number> material,
                                                        const std::vector<std::span<const float>>& fields);

}  // namespace osteon::solve
