#pragma once
/// @file
/// Results of an elastic solution: fields of the result file, and statistics.
#include <memory>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Solution data from which results are derived. The data are shared because each field is computed at the time of
/// writing.
struct derived_fields {
  std::shared_ptr<const numerics::elasticity_problem> problem;
  std::shared_ptr<const std::vector<double>> displacement_mm;
  std::shared_ptr<const std::vector<double>> thermal_strain;  ///< per active cell; empty: none
  /// Scalars at the cell centres, one per active cell, in [MPa], [1] and [MPa].
  cell_values sed, effective_strain, von_mises;
};

/// Compute the scalars of a solution. @param thermal_strain per active cell; empty: none @collective local
derived_fields derive_fields(std::shared_ptr<const numerics::elasticity_problem> problem,
                             std::vector<double> displacement_mm, std::vector<double> thermal_strain = {});

/// Statistics of the scalars over the solid, as keys of summary.json. @collective on comm
nlohmann::ordered_json statistics_of(MPI_Comm comm, const derived_fields& state);

/// Return true if the job requests principal strains, as fields or in its picture.
bool wants_principal_strain(const spec& job);
/// Statistics of the largest principal strain over the solid. @collective on comm
nlohmann::ordered_json statistics_of_principal_strain(MPI_Comm comm, const derived_fields& state);

/// Return the fields of a result file. Principal values and principal directions each have three fields. Fields that
/// depend on the load (stiffness_sensitivity, neck_energy) are omitted.
std::vector<result_field> elastic_fields(const local_model& part, const std::vector<elastic_field>& fields,
                                         const derived_fields& state);

/// Default of output.fields.
inline std::vector<elastic_field> default_elastic_fields() {
  using enum elastic_field;
  return {displacement, sed, effective_strain, von_mises};
}

/// The fields written by a job.
std::vector<elastic_field> fields_of_job(const spec& job);
bool wants_field(const spec& job, elastic_field field);

/// Largest number of components of a field written by a job.
int most_elastic_components(const spec& job);

/// Show the field selected by picture.field. The colour range begins at 0 for a surface and at the median for a volume.
/// @collective on part.where.comm
void show(physics_result& result, const spec& job, const local_model& part, const derived_fields& state);

/// Statistics of the scalars by material. The result is null for models with more than 32 materials (density laws).
/// @collective on part.where.comm
nlohmann::ordered_json by_material(const local_model& part, const derived_fields& state);

}  // namespace osteon::physics
