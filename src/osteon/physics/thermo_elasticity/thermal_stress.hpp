#pragma once
/// @file
/// The elastic problem that temperatures load, wherever they come from.
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
  std::optional<double> reference_K;  ///< of [load]
};

/// Whether plates hold the specimen.
bool is_between_plates(const spec& job);

/// Hold the body between plates or, if it is to expand freely, against rigid motions only. A fault of the supports is told
/// before the temperatures are solved for. @return what the plates measure; none: it expands freely
/// @throws as make_test, require_supported @collective
std::optional<measure> hold_warm_body(const spec& job, const local_model& part, numerics::elasticity_problem& problem);

/// Solve for the displacements; the certificate and the numbers of the stress go to `result`.
/// @param problem held @param plates as hold_warm_body returns it @param temperature_K per active cell of `part`
/// @return the solution, for fields and pictures @collective on part.where.comm
derived_fields add_thermal_stress(physics_result& result, const spec& job, const local_model& part,
                                  std::shared_ptr<numerics::elasticity_problem> problem,
                                  const std::optional<measure>& plates, std::vector<double> temperature_K,
                                  const numerics::options& how, log_sink& log);

}  // namespace osteon::physics
