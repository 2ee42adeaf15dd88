#include <osteon/job/flow/flow_work.hpp>

#include <algorithm>
#include <cmath>
#include <osteon/job/flow/flow_keys.hpp>

namespace osteon::job {

namespace {

// What is carried, as a stage after the flow: its memory per voxel of fluid and solid, if that is more than the flow's, and
// its solutions, in the costs of a flow (docs/performance.md).
void add_transport(solver_work& work, double bytes, double solutions) {
  constexpr solver_costs c = costs_of_flow;
  constexpr double of_flow = 0.5;
  work.kept = std::max(work.kept, 1 + (bytes / c.unknowns_per_element - c.bytes_per_unknown) / c.bytes_per_further);
  work.solutions += of_flow * solutions;
}

}  // namespace

solver_work flow_work(const spec& job, const voxel::node_count*) {
  solver_work work;
  if (flow_test(job) == "permeability_tensor") work.kept = work.solutions = 3;
  if (flow_test(job) == "dispersion")
    add_transport(work, 680, 3 * static_cast<double>(std::max<std::size_t>(1, flow_keys_of(job).peclet_numbers.size())));
  if (flow_test(job) == "flow") {
    const flow_keys f = flow_keys_of(job);
    constexpr double with_inertia = 6;  // steps of Picard and Newton
    work.solutions = static_cast<double>(std::max<std::size_t>(1, f.multiples.size())) * (f.inertia ? with_inertia : 1);
    if (f.expansion_per_K) work.solutions *= 5;  // rounds of flow and temperature, most of them short
    work.kept = f.inertia ? 84 : 6.5;  // directions of the solver, and its cycles: 128^3 bone with inertia 1.53 kB a voxel
    if (job.transient) {
      constexpr double of_a_step = 0.15;  // against a creeping flow; with steps that follow the flow their number is unknown
      work.kept = 18.5;
      if (job.picture.pathlines > 0) work.kept += 3;  // the velocities at both ends of a step, over a box half full of fluid
      work.solutions = 1;
      if (job.transient->step_s && job.transient->end_s)
        work.solutions += of_a_step * std::ceil(*job.transient->end_s / *job.transient->step_s);
    }
    const auto flows = static_cast<double>(std::max<std::size_t>(1, f.multiples.size()));
    // At Peclet numbers of a voxel from below 1 to 500 ages take as long as 1 to 15 creeping flows.
    if (f.residence_time) add_transport(work, 550, 18);
    if (f.heat) add_transport(work, 500 + 6 * sizeof(double) * (flows - 1), flows);  // and the velocities of each flow
  }
  return work;
}

}  // namespace osteon::job
