#include <osteon/physics/flow/entry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <osteon/physics/flow/checks/flow_checks.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/pictures/flow_paths.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/solver/transient/transient_flow.hpp>
#include <osteon/physics/flow/stages/count_flow_messages.hpp>
#include <osteon/physics/flow/stages/run_flow_through.hpp>
#include <osteon/physics/flow/stages/run_permeability.hpp>
#include <osteon/physics/flow/stages/solid_labels.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Execute the test of the job. @collective on part.where.comm
physics_result run_flow(const spec& job, const local_model& part, const numerics::options& solver_options, log_sink& log) {
  if (is_between_openings(job)) return run_flow_through(job, part, solver_options, log);
  return run_permeability(job, part, solver_options, log);
}

// Check a flow job on its fluid. @throws errors of run_flow @collective on part.where.comm
void check_flow_on(const spec& job, const local_model& part) {
  if (is_between_openings(job)) return check_flow_through_on(job, part);
  check_permeability_on(job, part);
}

constexpr solver_costs costs_of_flow{4, 50, 4, 2e-6, 8e-6};

// Add the costs of a transported quantity as a stage after the flow. The unit is the cost of a flow
// (docs/reference/performance.md). The costs consist of a number of solutions, and of the memory per voxel of fluid and
// solid if this memory exceeds that of the flow.
void add_transport(solver_work& work, double bytes, double solutions) {
  constexpr solver_costs c = costs_of_flow;
  constexpr double of_flow = 0.5;
  work.kept = std::max(work.kept, 1 + (bytes / c.unknowns_per_element - c.bytes_per_unknown) / c.bytes_per_further);
  work.solutions += of_flow * solutions;
}

// Number of time steps, estimated from the velocities in the job. If the job contains no velocities or no spacing, the
// result is 0.
double steps_by_courant(const spec& job, const flow_keys& f) {
  const auto& spacing = job.image.spacing_mm;
  if (!spacing || spacing->empty()) return 0;
  double highest = 0;  // velocity in voxels per second
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    double factor = b.factor_at_s.empty() ? 1 : 0;
    for (const auto& point : b.factor_at_s)
      if (point.size() == 2) factor = std::max(factor, std::abs(point[1]));
    double own = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double h = spacing->size() == 3 ? (*spacing)[a] : spacing->front();
      if (b.slide_mm_per_s && b.slide_mm_per_s->size() == 3) own += std::abs((*b.slide_mm_per_s)[a]) / h;
      if (!b.face.empty() && b.face[0] == "zyx"[a]) own += std::abs(b.velocity_mm_per_s.value_or(0)) / h;
    }
    highest = std::max(highest, factor * own);
  }
  return highest * *job.groups.of<condition_keys>().transient->end_s / f.cfl.value_or(flow_time_plan{}.courant);
}

// Add the time steps of a transient flow, and the time steps of the temperature.
void add_steps(solver_work& work, const spec& job, const flow_keys& f) {
  if (!job.groups.of<condition_keys>().transient->end_s) return;
  // Time of a step, and time of a temperature, relative to the time of a creeping flow.
  constexpr double of_a_step = 0.15, of_a_temperature = 0.2;
  double steps = 0;
  if (job.groups.of<condition_keys>().transient->step_s) {
    steps =
        std::ceil(*job.groups.of<condition_keys>().transient->end_s / *job.groups.of<condition_keys>().transient->step_s);
  } else {
    steps = std::ceil(steps_by_courant(job, f));
    work.assumed =
        steps > 0 ? fmt::format(
                        "{:.0f} time steps, estimated from the prescribed velocities; a faster flow requires more steps; "
                        "set transient.step_s for a fixed number",
                        steps)
                  : "the number of adaptive time steps is unknown, and the estimate contains none; set transient.step_s";
  }
  work.solutions += steps * (of_a_step + (f.heat ? of_a_temperature : 0));
}

solver_work flow_work(const spec& job, const voxel::node_count*) {
  solver_work work;
  if (test_of_flow(job) == flow_test::permeability_tensor) work.kept = work.solutions = 3;
  if (test_of_flow(job) == flow_test::dispersion) {
    // 2 for the sample and its mirror image
    const double samples = job.load.boundary_condition == outer_condition::mirrored ? 2 : 1;
    add_transport(
        work, 680 * samples,
        3 * samples * static_cast<double>(std::max<std::size_t>(1, job.groups.of<flow_keys>().peclet_numbers.size())));
  }
  if (is_between_openings(job)) {
    const flow_keys& f = job.groups.of<flow_keys>();
    constexpr double with_inertia = 6;  // the solution needs several Picard and Newton steps
    work.solutions = static_cast<double>(std::max<std::size_t>(1, f.multiples.size())) * (f.inertia ? with_inertia : 1);
    // the solution needs several, mostly short, outer iterations of flow and temperature
    if (f.expansion_per_K) work.solutions *= 5;
    // memory of search directions and cycles of the solver: a bone of 128^3 voxels with inertia needs 1.53 kB per voxel
    work.kept = f.inertia ? 84 : 6.5;
    if (job.groups.of<condition_keys>().transient) {
      work.kept = 18.5;
      // The job stores the velocities at the two ends of a step. The value is for a box that is half full of fluid.
      if (job.picture.pathlines > 0) work.kept += 3;
      if (f.heat) work.kept += 27;  // flow and temperature are stored concurrently
      work.solutions = 1;
      add_steps(work, job, f);
    }
    const auto flows = static_cast<double>(std::max<std::size_t>(1, f.multiples.size()));
    // At cell Peclet numbers from below 1 to 500, the solution for ages takes 1 to 15 times as long as a creeping flow.
    if (f.residence_time) add_transport(work, 550, 18);
    // the memory includes the velocities of each flow
    if (f.heat) add_transport(work, 500 + 6 * sizeof(double) * (flows - 1), flows);
  }
  return work;
}

solid_rules flow_rules(const spec& job) {
  const flow_keys& f = job.groups.of<flow_keys>();
  solid_rules rules;
  rules.phase = "fluid";
  rules.keeps_all = true;
  rules.takes_empty_space = f.fluid == fluid_voxels::empty;
  rules.has_others = f.heat && !job.materials.empty();
  if (!job.segment.labels) return rules;
  // In a label image, labels define the fluid. The fluid has the labels of the void, or all other labels.
  rules.takes_empty_space = f.fluid == fluid_voxels::solid;
  rules.labels = job.segment.void_labels;
  if (!f.fluid_labels.empty()) rules.labels.assign(f.fluid_labels.begin(), f.fluid_labels.end());
  return rules;
}

}  // namespace

const physics_entry& flow() {
  static const physics_entry row{
      .name = "flow",
      .meaning = "permeability of pores by steady Stokes flow, and flow between openings",
      .caption = "Flow through the pores",
      .synonyms = {"stokes", "permeability", "fluid", "darcy", "cfd", "navierstokes"},
      .answers = flow_answers(),
      .tests = tests_of_flow(),
      .usual_test = "flow if there is a [[boundary]], else permeability",
      .test = [](const spec& job) { return job.load.test.value_or(name_of(test_of_flow(job))); },
      .keys = register_flow_keys,
      .check = check_flow,
      .check_on_solid = [](const spec& job, const std::function<local_model()>& read,
                           std::vector<problem>&) { check_flow_on(job, read()); },
      .loads_key = "flow",
      .reason_for_faces_only = "fluid does not flow through an edge or a corner",
      .boundary_conditions =
          [](const spec& job) {
            if (is_between_openings(job)) return std::vector<outer_condition>{};
            if (test_of_flow(job) == flow_test::dispersion)
              return std::vector<outer_condition>{outer_condition::periodic, outer_condition::mirrored};
            return std::vector<outer_condition>{outer_condition::periodic, outer_condition::mirrored,
                                                outer_condition::closed};
          },
      .rules = flow_rules,
      .labels = labels_of_flow,
      .system = {io::centring::cell, 4},
      .costs = costs_of_flow,
      .default_tolerance = 1e-4,
      .work = flow_work,
      .most_components = [](const spec&) { return 3; },
      .picture = {.has_lines = true, .draws_lines = true, .fields = {"speed", "temperature", "residence_time"}},
      .reason_for_files =
          [](const spec& job) {
            if (std::string reason = reason_for_step_files(job); !reason.empty()) return reason;
            return std::string(job.groups.of<probe_keys>().probes.empty() ? "" : "[[probe]] writes records to a file");
          },
      .run = run_flow,
      .count_messages = count_flow_messages,
      .reason_not_counted = reason_flow_not_counted,
      .paint = paint_speeds};
  return row;
}

}  // namespace osteon::physics
