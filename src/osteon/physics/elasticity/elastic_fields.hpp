#pragma once
/// @file
/// What a job says about an elastic solution: the fields of its result file, and statistics by material.
#include <memory>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/elasticity/solver/elasticity.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// A solution as far as results are read off it. Shared, because fields are made when they are written.
struct derived_fields {
  std::shared_ptr<const numerics::elasticity_problem> problem;
  std::shared_ptr<const std::vector<double>> displacement_mm;
  std::shared_ptr<const std::vector<double>> thermal_strain;  ///< per active cell; empty: none
  /// per active cell [MPa], [1], [MPa], at its centre
  cell_values sed, effective_strain, von_mises;
};

/// Compute the scalars of a solution. @param thermal_strain per active cell; empty: none @collective local
derived_fields derive_fields(std::shared_ptr<const numerics::elasticity_problem> problem,
                             std::vector<double> displacement_mm, std::vector<double> thermal_strain = {});

/// Statistics of the scalars over the solid, as keys of summary.json. @collective on comm
nlohmann::ordered_json statistics_of(MPI_Comm comm, const derived_fields& state);

/// Whether the job asks for principal strains, as fields or as its picture.
bool wants_principal_strain(const spec& job);
/// Statistics of the largest principal strain over the solid. @collective on comm
nlohmann::ordered_json statistics_of_principal_strain(MPI_Comm comm, const derived_fields& state);

/// The fields of a result file. @param names as in output.fields; principal values and directions become three fields each
std::vector<result_field> elastic_fields(const local_model& part, const std::vector<std::string>& names,
                                         const derived_fields& state);

/// What is written if output.fields is left out.
inline std::vector<std::string> default_elastic_fields() { return {"displacement", "sed", "effective_strain", "von_mises"}; }

/// What a job writes.
std::vector<std::string> fields_of_job(const spec& job);

/// Most components of a field that a job writes.
int most_elastic_components(const spec& job);

/// Show the field that the job's picture names, and choose its range of colours: on a surface all values have one, in a
/// volume those below the median none. @collective on part.where.comm
void show(physics_result& result, const spec& job, const local_model& part, const derived_fields& state);

/// Statistics of the scalars for each material that occurs; null for models of more than 32 materials (density laws).
/// @collective on part.where.comm
nlohmann::ordered_json by_material(const local_model& part, const derived_fields& state);

}  // namespace osteon::physics
