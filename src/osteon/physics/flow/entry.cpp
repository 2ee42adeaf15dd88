#include <osteon/physics/flow/entry.hpp>

#include <osteon/physics/flow/checks/flow_checks.hpp>
#include <osteon/physics/flow/flow_answers.hpp>
#include <osteon/physics/flow/flow_work.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/flow/pictures/speed_frames.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/stages/rehearse_flow.hpp>
#include <osteon/physics/flow/stages/run_flow.hpp>
#include <osteon/physics/flow/stages/solid_labels.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

solid_rules flow_rules(const spec& job) {
  const flow_keys& f = job.groups.of<flow_keys>();
  solid_rules rules;
  rules.phase = "fluid";
  rules.keeps_all = true;
  rules.takes_empty_space = f.fluid == fluid_voxels::empty;
  rules.has_others = f.heat && !job.materials.empty();
  if (!job.segment.labels) return rules;
  // Of a label image the labels say it, the empty ones or all others.
  rules.takes_empty_space = f.fluid == fluid_voxels::solid;
  rules.labels = job.segment.void_labels;
  if (!f.fluid_labels.empty()) rules.labels.assign(f.fluid_labels.begin(), f.fluid_labels.end());
  return rules;
}

}  // namespace

const physics_entry& flow() {
  static const physics_entry row{
      .name = "flow",
      .meaning = "permeability of the pores, by steady Stokes flow, and flow between openings",
      .caption = "Flow through the pores",
      .synonyms = {"stokes", "permeability", "fluid", "darcy", "cfd", "navierstokes"},
      .answers = flow_answers(),
      .tests = tests_of_flow(),
      .usual_test = "flow if there is a [[boundary]], else permeability",
      .keys = register_flow_keys,
      .check = check_flow,
      .refuse = refuse_flow,
      .check_on_solid = [](const spec& job, const std::function<local_model()>& read,
                           std::vector<problem>&) { check_flow_on(job, read()); },
      .key_of_loads = "flow",
      .takes_boundaries = true,
      .takes_time_steps = true,
      .takes_heat_sources = true,
      .why_not_by_corners = "nothing flows through an edge or a corner",
      .boundary_conditions =
          [](const spec& job) {
            if (flow_test(job) == "flow") return std::vector<outer_condition>{};
            if (flow_test(job) == "dispersion")
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
      .why_not_in_memory =
          [](const spec& job) {
            if (std::string why = why_steps_need_files(job); !why.empty()) return why;
            return std::string(job.groups.of<probe_keys>().probes.empty() ? ""
                                                                          : "it writes records of its probes ([[probe]])");
          },
      .has_lines = true,
      .draws_lines = true,
      .run = run_flow,
      .rehearse = rehearse_flow,
      .why_not_rehearsed = why_flow_is_not_rehearsed,
      .paint = paint_speeds};
  return row;
}

}  // namespace osteon::physics
