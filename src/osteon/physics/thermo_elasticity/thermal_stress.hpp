#pragma once
/// @file
/// The elastic problem with a load by temperatures of any origin.
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/elasticity/loads/standard_tests.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Tests of thermo_elasticity: bonded plates, or free expansion.
enum class thermo_elastic_test { axial_bonded, free_expansion };
inline auto choice_names(thermo_elastic_test) { return choices<"axial_bonded", "free_expansion">(); }

struct thermo_elastic_keys {
  std::optional<double> reference_K;  ///< key of [load]
};

/// Return true if plates restrain the specimen.
bool is_between_plates(const spec& job);

/// Add the supports. The supports are plates. For free expansion, the support is statically determinate. The supports are
/// checked before the temperatures are computed. @return measure of the plates; empty: free expansion
/// @throws errors of make_test and require_supported @collective
std::optional<measure> add_thermal_supports(const spec& job, const local_model& part, numerics::elasticity_problem& problem);

/// Solve for the displacements. Add the certificate and the answers for the stress to `result`.
/// @param problem problem with supports @param plates result of add_thermal_supports @param temperature_K temperature of
/// each active cell of `part`
/// @return solution for fields and pictures @collective on part.where.comm
derived_fields add_thermal_stress(physics_result& result, const spec& job, const local_model& part,
                                  std::shared_ptr<numerics::elasticity_problem> problem,
                                  const std::optional<measure>& plates, std::vector<double> temperature_K,
                                  const numerics::options& options, log_sink& log);

}  // namespace osteon::physics
