#pragma once
/// @file
/// Derived quantities of a solution: statistics of a field over all ranks and for each material, effective strain, failure
/// load.
#include <mpi.h>

#include <cstdint>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <vector>

namespace osteon::numerics {

struct field_statistics {
  double mean = 0, median = 0, p95 = 0, p98 = 0, p99 = 0, max = 0;
};

/// @param values non-negative and finite, one per active voxel; voxels have equal volumes
/// @collective on comm
field_statistics statistics(MPI_Comm comm, std::span<const float> values);

/// Effective strain of each voxel, sqrt(2 SED / E). @cite [Pistoia2002]
/// @param material number of each voxel's material
/// @param sed strain energy density [MPa]; at the voxels' centres it is the effective strain of FAIM and ParOSol
/// @collective local
std::vector<float> effective_strain(const voxel::material_table& materials, std::span<const material_number> material,
                                    std::span<const float> sed);

struct pistoia_estimate {
  double factor = 0;          ///< by which the load may be multiplied until failure; infinite if it strains nothing
  double failure_load_N = 0;  ///< has the sign of the load; not a number where nothing is strained and nothing acts
};

/// Failure load of a linear analysis: the bone fails when `critical_volume` of it is strained beyond `critical_strain`.
/// @cite [Pistoia2002]: 2 % and 0.007
/// @param load_N with its sign, or a moment
/// @collective on comm
pistoia_estimate pistoia(MPI_Comm comm, std::span<const float> strain, double load_N, double critical_strain,
                         double critical_volume);

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

}  // namespace osteon::numerics
