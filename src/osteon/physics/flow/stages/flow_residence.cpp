#include <osteon/physics/flow/stages/flow_residence.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/physics/flow/keys/flow_fields.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/solver/transport/residence_time.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

using json = nlohmann::ordered_json;

constexpr double mm2_in_m2 = 1e6;

json words_of(const age_distribution& d) { return {{"mean", d.mean}, {"median", d.median}, {"p95", d.p95}}; }

}  // namespace

void add_flow_residence(physics_result& result, const spec& job, const local_model& part, const through_problem& problem,
                        const through_solution& flow, const numerics::options& how, log_sink& log) {
  log.note("residence time");
  residence_problem ages;
  comm::collectively(part.where.comm, [&] {
    ages.where = part.where;
    ages.spacing_mm = problem.spacing_mm;
    ages.fluid = problem.cells;
    ages.openings = problem.boundaries;
    for (flow_boundary& b : ages.openings) b.value *= flow.flows.back().multiple;
    ages.face_velocity_mm_per_s = flow.face_velocity_mm_per_s;
    ages.diffusivity_mm2_per_s = mm2_in_m2 * job.groups.of<flow_keys>().self_diffusivity();
  });
  numerics::options exact = how;
  exact.tolerance = std::min(how.tolerance, 1e-6);  // that of a flow may be coarser
  residence_solution s = solve_residence_time(ages, exact, log);
  if (!result.earlier_proof || result.earlier_proof->converged) {
    if (!s.certificate.converged) {
      result.earlier_proof = s.certificate;
      result.stopped_at = fmt::format("a residual of the residence time of {:.2e}", s.certificate.true_relative_residual);
    }
  }
  json& answers = result.answers;
  answers["residence_time_s"] = words_of(s.leaving);
  answers["fluid_age_s"] = words_of(s.inside);
  answers["fluid_age_s"]["high"] = s.inside.high;
  answers["stagnant_share"] = s.stagnant_share;
  answers["residence_certificate"] = certificate_of_stage(s.certificate);
  cell_values age;
  comm::collectively(part.where.comm, [&] { age = spread_over(part, problem.cells, std::move(s.age_s), 1); });
  result.fields.push_back({{"residence_time", "mean age of the fluid", "s", io::centring::cell, 1},
                           [&part, age] { return cell_planes(part, age, 1); }});
  if (job.picture.field != "residence_time") return;
  show(result,
       {job.picture.enabled ? age : result.shown, "residence_time", "mean age of the fluid", "s", 0, s.inside.p95, true});
}

}  // namespace osteon::physics
