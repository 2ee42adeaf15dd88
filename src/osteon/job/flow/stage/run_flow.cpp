#include <osteon/job/flow/stage/run_flow.hpp>

#include <osteon/job/flow/flow_keys.hpp>
#include <osteon/job/flow/permeability/run_permeability.hpp>
#include <osteon/job/flow/stage/run_flow_through.hpp>

namespace osteon::job {

physics_result run_flow(const spec& job, const local_model& part, const numerics::options& how, log_sink& log) {
  if (flow_test(job) == "flow") return run_flow_through(job, part, how, log);
  return run_permeability(job, part, how, log);
}

void check_flow_on(const spec& job, const local_model& part) {
  if (flow_test(job) == "flow") return check_flow_through_on(job, part);
  check_permeability_on(job, part);
}

}  // namespace osteon::job
