#pragma once
/// @file
/// The elastic problem loaded by temperatures of any origin.
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Tests of thermo_elasticity: between plates, or free.
enum class warm_test { axial_bonded, free_expansion };
inline std::span<const char* const> choice_names(warm_test) {
  static constexpr const char* names[] = {"axial_bonded", "free_expansion"};
  return names;
}

struct warm_keys {
  std::optional<double> reference_K;  ///< key of [load]
};

/// Return true if plates hold the specimen.
bool is_between_plates(const spec& job);

/// Hold the body between plates or, for free expansion, against rigid motions only. Faults of the supports are reported
/// before the temperatures are solved for. @return the measure of the plates; none: free expansion
/// @throws as make_test, require_supported @collective
std::optional<measure> hold_warm_body(const spec& job, const local_model& part, numerics::elasticity_problem& problem);

/// Solve for the displacements; the certificate and the stress answers are added to `result`.
/// @param problem with supports @param plates from hold_warm_body @param temperature_K per active cell of `part`
/// @return the solution, for fields and pictures @collective on part.where.comm
derived_fields add_thermal_stress(physics_result& result, const spec& job, const local_model& part,
                                  std::shared_ptr<numerics::elasticity_problem> problem,
                                  const std::optional<measure>& plates, std::vector<double> temperature_K,
                                  const numerics::options& how, log_sink& log);

}  // namespace osteon::physics
