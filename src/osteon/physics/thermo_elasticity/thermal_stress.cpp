#include <osteon/base/release.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/physics/elasticity/loads/elastic_problem.hpp>
#include <osteon/physics/elasticity/solver/elasticity_check.hpp>
#include <osteon/physics/elasticity/solver/reactions.hpp>
#include <osteon/physics/elasticity/solver/thermal_load.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <osteon/physics/thermo_elasticity/thermal_stress.hpp>

namespace osteon::physics {

namespace {

// Expansion coefficients for each material number of the model. Number 0 is void. The materials of the job follow the void
// in their order.
std::vector<double> expansion_per_K(const spec& job, const local_model& part) {
  std::vector<double> values(part.header.materials.size(), 0.0);
  for (std::size_t n = 0; n < job.materials.size() && n + 1 < values.size(); ++n)
    values[n + 1] = job.materials[n].thermal_expansion_per_K.value_or(0);
  return values;
}

}  // namespace

bool is_between_plates(const spec& job) {
  return value_named<thermo_elastic_test>(job.load.test.value_or("")).value_or(thermo_elastic_test::axial_bonded) ==
         thermo_elastic_test::axial_bonded;
}

std::optional<measure> add_thermal_supports(const spec& job, const local_model& part,
                                            numerics::elasticity_problem& problem) {
  constexpr std::string_view remedy = "keep the largest part only (segment.keep = \"largest\")";
  std::optional<measure> plates;
  if (is_between_plates(job)) {
    const node_sets sets(job, part, problem.nodes);
    mechanical_load load = job_load(job);
    load.strain = load.strain.value_or(0);
    standard_test test = make_test(sets, load, elastic_test::axial_bonded);
    problem.fixed = prescribe(sets, test.supports);
    plates = std::move(test.measures);
    require_supported(problem, part.header.origin_mm, remedy);
  } else {
    problem.fixed = support_of_a_voxel(problem);
    require_supported(problem, part.header.origin_mm, remedy);
    problem.fixed = determinate_support(problem);
  }
  check_elasticity(problem);
  return plates;
}

derived_fields add_thermal_stress(physics_result& result, const spec& job, const local_model& part,
                                  std::shared_ptr<numerics::elasticity_problem> problem,
                                  const std::optional<measure>& plates, std::vector<double> temperature_K,
                                  const numerics::options& options, log_sink& log) {
  const MPI_Comm comm = part.where.comm;
  log.note("displacements");
  warn_of_locking(job, part, log);
  std::vector<double> strain;
  elasticity_load load;
  comm::collectively(comm, [&] {
    strain = thermal_strain(*problem, temperature_K, expansion_per_K(job, part),
                            *job.groups.of<thermo_elastic_keys>().reference_K);
    release(temperature_K);
    load.forces = thermal_forces(*problem, strain);
  });
  elasticity_solution solution = elasticity_solver(*problem, options, log).solve_last(load);
  result.certificate = solution.certificate;
  if (plates) {
    const axis along = load_axis(job);
    const vector3 force = resultant(*problem, solution, plates->driven->nodes).force_N;
    result.answers["reaction_N"] = {force.z, force.y, force.x};
    result.answers["apparent_stress_MPa"] = force[static_cast<int>(along)] / plates->area.area_mm2;
    result.answers["apparent_area_mm2"] = plates->area.area_mm2;
    result.answers["apparent_area_definition"] = plates->area.definition;
  }
  derived_fields state;
  comm::collectively(comm, [&] { state = derive_fields(problem, std::move(solution.displacement_mm), std::move(strain)); });
  result.answers.update(statistics_of(comm, state));
  return state;
}

}  // namespace osteon::physics
