#pragma once
/// @file
/// Statistics of a field over all ranks, in total and by material.
#include <mpi.h>

#include <cstdint>
#include <osteon/base/material_number.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

struct field_statistics {
  double mean = 0, median = 0, p95 = 0, p98 = 0, p99 = 0, max = 0;
};

/// @param values non-negative and finite, one per active voxel; voxels have equal volumes
/// @collective on comm
field_statistics statistics(MPI_Comm comm, std::span<const float> values);

struct material_statistics {
  material_number material = 0;
  std::int64_t voxels = 0;
  std::vector<field_statistics> fields;  ///< in the order of the fields
};

/// Statistics of all materials that occur on any rank, in ascending order. The statistics are exact; percentiles do not
/// depend on the number of ranks.
/// @param material number of each voxel's material
/// @param fields non-negative and finite, one value per voxel
/// @collective on comm @cost three allreduces, and four further allreduces per field with 8 KiB per material (four
/// fractions, 256 counters)
std::vector<material_statistics> statistics_by_material(MPI_Comm comm, std::span<const material_number> material,
                                                        const std::vector<std::span<const float>>& fields);

}  // namespace osteon::numerics
