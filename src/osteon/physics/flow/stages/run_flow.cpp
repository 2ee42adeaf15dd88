#include <osteon/physics/flow/stages/run_flow.hpp>

#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/stages/run_flow_through.hpp>
#include <osteon/physics/flow/stages/run_permeability.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

physics_result run_flow(const spec& job, const local_model& part, const numerics::options& how, log_sink& log) {
  if (flow_test(job) == "flow") return run_flow_through(job, part, how, log);
  return run_permeability(job, part, how, log);
}

void check_flow_on(const spec& job, const local_model& part) {
  if (flow_test(job) == "flow") return check_flow_through_on(job, part);
  check_permeability_on(job, part);
}

}  // namespace osteon::physics
