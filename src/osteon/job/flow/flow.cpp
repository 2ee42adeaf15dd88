#include <osteon/job/flow/flow.hpp>

#include <fmt/format.h>

#include <cmath>
#include <osteon/job/flow/buoyancy.hpp>
#include <osteon/job/flow/check_flow_heat.hpp>
#include <osteon/job/flow/check_flow_pictures.hpp>
#include <osteon/job/flow/check_openings.hpp>
#include <osteon/job/flow/check_time_steps.hpp>
#include <osteon/job/flow/flow_dispersion.hpp>
#include <osteon/job/flow/flow_keys.hpp>
#include <osteon/job/flow/heat_of_transient.hpp>
#include <osteon/job/flow/rehearse_flow.hpp>
#include <osteon/job/flow/run_flow.hpp>
#include <osteon/job/flow/run_flow_residence.hpp>
#include <osteon/job/flow/solid_labels.hpp>
#include <osteon/job/flow/speed_frames.hpp>
#include <osteon/job/probes/check_probes.hpp>

namespace osteon::job {

namespace {

void describe_flow(key_visitor& v, spec& job) {
  flow_keys& f = own_keys<flow_keys>(job, "flow");
  v("fluid", &f.fluid,
    "Which voxels the fluid fills: empty, those that [segment] leaves empty, the pores of a solid above the threshold; "
    "solid, "
    "those that it calls solid, where the image shows pores bright.",
    {"empty", "solid"});
  v("fluid_labels", &f.fluid_labels,
    "With segment.labels: the labels that the fluid fills, instead of those that are empty.");
  v("viscosity_Pa_s", &f.viscosity_Pa_s,
    "Dynamic viscosity in Pa s, > 0; left out: that of water. Velocities are for it, the permeability is the same for any.");
  v("density_kg_per_m3", &f.density_kg_per_m3, "Density in kg/m3, > 0, for the Reynolds number; left out: that of water.");
  v("pressure_drop_Pa", &f.pressure_drop_Pa,
    "Of permeability: difference of pressure between the two faces of the direction in Pa, > 0; left out: 1. Velocities, "
    "flow rate and Reynolds number are for it.");
  v("inertia", &f.inertia,
    "Of the test flow: whether the fluid has inertia, the steady Navier-Stokes equations; else it creeps (Stokes).");
  v("convection", &f.convection,
    "With inertia: blended, central differences, and where the Reynolds number of a voxel exceeds 2, so much upwind that "
    "nothing oscillates; limited: there what van Leer's limiter allows of central differences, second order where the "
    "velocity is smooth; central: central everywhere.",
    {"blended", "limited", "central"});
  v("reference_velocity_mm_per_s", &f.reference_velocity_mm_per_s,
    "Of the test flow: velocity U of force_coefficients in mm/s, > 0; with reference_area_mm2.");
  v("reference_area_mm2", &f.reference_area_mm2,
    "Of the test flow: area A of force_coefficients in mm2, > 0: for a body in a channel, its area across the flow.");
  v("force_labels", &f.force_labels,
    "Of the test flow: labels of solid voxels whose share of the force on the solid is told by itself, of the label image "
    "or "
    "of label_image.");
  v("label_image", &f.label_image,
    "Of the test flow: image of labels for force_labels and [[boundary]] label, of the shape of the scan and cropped with "
    "it; "
    "left out: the image itself, with segment.labels. Voxels of a label with a [[boundary]] are not fluid.");
  v("multiples", &f.multiples,
    "Of the test flow: factors of all given velocities, flow rates, pressures and drops of pressure; a flow for each, with "
    "heat a temperature for each, the fields are those of the last. With inertia, Forchheimer's law is fitted to them.");
  v("cfl", &f.cfl,
    "Of the test flow with [transient] and inertia: largest Courant number of a step, the sum over the axes of speed times "
    "step "
    "over spacing, > 0 and at most 1; left out: 0.5. Without transient.step_s steps follow it, with it a longer step is "
    "refused.");
  v("start", &f.start,
    "Of the test flow with [transient]: rest, set in motion at once, used if this is left out; creeping: the flow without "
    "inertia; steady: the steady flow with inertia.",
    {"rest", "creeping", "steady"});
  v("steady_change_per_s", &f.steady_change_per_s,
    "Of the test flow with [transient]: end before end_s, once no velocity changes in a second by more than this share of "
    "the "
    "highest one.");
  v("heat", &f.heat,
    "Of the test flow: whether the temperature is computed, too, of the fluid, which carries it, and of the solid. The "
    "solid "
    "has a conductivity by [[material]]; without one it conducts nothing.");
  v("conductivity_W_per_mK", &f.conductivity_W_per_mK,
    "With heat: thermal conductivity of the fluid in W/(m K), > 0; left out: 0.6, that of water.");
  v("heat_capacity_J_per_m3K", &f.heat_capacity_J_per_m3K,
    "With heat: density times specific heat of the fluid in J/(m3 K), > 0; left out: 4.18e6, that of water.");
  v("heat_source_W_per_m3", &f.heat_source_W_per_m3, "With heat: heat made in the fluid in W/m3.");
  v("heat_convection", &f.heat_convection,
    "With heat: limited, central differences, and where the Peclet number of a voxel exceeds 2, what van Leer's limiter "
    "allows; hybrid: there only what cannot oscillate whatever the temperature is, first order; central: central "
    "everywhere, "
    "which may oscillate.",
    {"limited", "hybrid", "central"});
  v("residence_time", &f.residence_time,
    "Of the test flow, steady: whether the residence time is computed, too: the mean age of the fluid at each voxel since "
    "it "
    "flowed in.");
  describe_buoyancy(v, f);
  v("peclet_numbers", &f.peclet_numbers,
    "Of dispersion: mean velocity in the pores times peclet_length_mm over the diffusivity, each >= 0, and 0 is diffusion "
    "alone; a tensor for each. Left out: that of the flow at pressure_drop_Pa, with diffusivity_m2_per_s.");
  v("peclet_length_mm", &f.peclet_length_mm,
    "Of dispersion: length of the Peclet number in mm, > 0; left out: the hydraulic diameter.");
  v("diffusivity_m2_per_s", &f.diffusivity_m2_per_s,
    "Of dispersion: molecular diffusivity of what is carried, or thermal one, in m2/s, > 0; left out: tensors are told over "
    "it only. With residence_time: by what the fluid mixes with itself where it hardly flows; left out: 2.3e-9, the "
    "self-diffusion of water.");
}

void check_flow(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys f = flow_keys_of(job);
  const std::string test = flow_test(job);
  expect(test == "permeability" || test == "permeability_tensor" || test == "dispersion" || test == "flow", "load.test",
         fmt::format("'{}' does not go with physics = \"flow\"; use 'permeability', 'permeability_tensor', 'dispersion' or "
                     "'flow'",
                     test));
  for (const auto& [key, unit, value] : {std::tuple{"viscosity_Pa_s", "Pa s", f.viscosity_Pa_s},
                                         {"density_kg_per_m3", "kg/m3", f.density_kg_per_m3},
                                         {"pressure_drop_Pa", "Pa", f.pressure_drop_Pa.value_or(1)}})
    expect(std::isfinite(value) && value > 0, fmt::format("flow.{}", key), fmt::format("{} must be > 0 {}", value, unit));
  expect(f.reference_velocity_mm_per_s.has_value() == f.reference_area_mm2.has_value(), "flow.reference_area_mm2",
         "goes together with flow.reference_velocity_mm_per_s; give both or none");
  for (const auto& [key, unit, value] : {std::tuple{"reference_velocity_mm_per_s", "mm/s", f.reference_velocity_mm_per_s},
                                         {"reference_area_mm2", "mm2", f.reference_area_mm2}})
    expect(!value || (std::isfinite(*value) && *value > 0), fmt::format("flow.{}", key),
           fmt::format("{} must be > 0 {}", value.value_or(0), unit));
  if (test == "flow") {
    check_openings(job, problems);
    check_time_steps(job, problems);
    check_probes(job, f.heat, problems);
  } else {
    refuse_probes(job, problems);
    expect(!f.reference_area_mm2, "flow.reference_area_mm2", "belongs to test = \"flow\"; remove it");
    expect(
        !job.transient, "transient",
        fmt::format("does not go with test = \"{}\": a permeability is that of steady flow; remove one of the two", test));
    expect(!f.cfl && !f.start && !f.steady_change_per_s, "flow.cfl",
           "and flow.start and flow.steady_change_per_s belong to test = \"flow\" with [transient]; remove them");
    expect(job.boundaries.empty(), "boundary",
           fmt::format("belongs to test = \"flow\", not to '{}'; remove one of the two", test));
    expect(!f.inertia, "flow.inertia", "belongs to test = \"flow\": a permeability is that of creeping flow; remove it");
    expect(f.multiples.empty(), "flow.multiples", "belongs to test = \"flow\"; remove it");
    expect(f.force_labels.empty(), "flow.force_labels", "belongs to test = \"flow\"; remove it");
    expect(!f.label_image, "flow.label_image", "belongs to test = \"flow\"; remove it");
  }
  expect(f.fluid_labels.empty() || job.segment.labels, "flow.fluid_labels",
         "given, but segment.labels is not: the image holds grey values; set it, or say by flow.fluid which voxels flow");
  expect(f.fluid_labels.empty() || f.fluid == "empty", "flow.fluid", "given together with flow.fluid_labels; remove one");
  for (const double label : f.fluid_labels)
    expect(label == std::floor(label) && std::abs(label) < 1e15, "flow.fluid_labels",
           fmt::format("{} is no label; labels are whole numbers", label));
  expect(job.segment.keep != "percolating", "segment.keep",
         "'percolating' is for solids; a flow job takes all of the fluid, and what leads through nowhere stands still");
  const load_spec& l = job.load;
  const bool other = l.strain || l.displacement_mm || l.force_N || l.angle_deg || l.moment_N_mm || l.gravity_m_per_s2 ||
                     l.direction || l.about_mm || l.bonded || l.depth_mm != 0 || l.faces != "image";
  expect(!other, "load", "of its keys only test, axis and boundary_condition go with physics = \"flow\"");
  expect(!job.output_fields, "output.fields",
         "given, but physics = \"flow\" always writes velocity, speed and pressure; remove it");
  check_flow_heat(job, problems);
  check_heat_in_time(job, problems);
  check_flow_residence(job, problems);
  check_flow_pictures(job, problems);
  check_buoyancy(job, problems);
  check_flow_dispersion(job, problems);
}

void refuse_flow(const spec& job, std::vector<problem>& problems) {
  const std::string test = job.load.test.value_or("");
  if (test == "permeability" || test == "permeability_tensor" || test == "dispersion" || test == "flow")
    problems.push_back({"load.test", fmt::format("'{}' belongs to physics = \"flow\"", test)});
  if (job.own_keys.contains("flow") && !physics_of(job).may_begin_with_flow)
    problems.push_back({"flow", "belongs to physics = \"flow\" or \"thermo_elasticity\"; remove it or change the physics"});
  refuse_flow_pictures(job, problems);
  refuse_probes(job, problems);
  for (std::size_t n = 0; n < job.boundaries.size(); ++n)
    if (!job.boundaries[n].factor_at_s.empty() || job.boundaries[n].period_s)
      problems.push_back({fmt::format("boundary[{}].factor_at_s", n + 1), "belongs to physics = \"flow\"; remove it"});
}

solid_rules flow_rules(const spec& job) {
  const flow_keys f = flow_keys_of(job);
  solid_rules rules;
  rules.phase = "fluid";
  rules.keeps_all = true;
  rules.takes_empty_space = f.fluid == "empty";
  rules.has_others = f.heat && !job.materials.empty();
  if (!job.segment.labels) return rules;
  // Of a label image the labels say it, the empty ones or all others.
  rules.takes_empty_space = f.fluid == "solid";
  rules.labels = job.segment.void_labels;
  if (!f.fluid_labels.empty()) rules.labels.assign(f.fluid_labels.begin(), f.fluid_labels.end());
  return rules;
}

constexpr solver_costs costs_of_flow{4, 50, 4, 2e-6, 8e-6};

// What is carried, as a stage after the flow: its memory per voxel of fluid and solid, if that is more than the flow's, and
// its solutions, in the costs of a flow (docs/performance.md).
void add_transport(solver_work& work, double bytes, double solutions) {
  constexpr solver_costs c = costs_of_flow;
  constexpr double of_flow = 0.5;
  work.kept = std::max(work.kept, 1 + (bytes / c.unknowns_per_element - c.bytes_per_unknown) / c.bytes_per_further);
  work.solutions += of_flow * solutions;
}

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

std::vector<answer> flow_answers() {
  std::vector<answer> all{
      {.key = "percolates",
       .title = "path between the faces",
       .meaning = "Whether a path of fluid leads through along the axis; if none does, the permeability is 0.",
       .in_report = false},
      {.key = "permeability_m2",
       .title = "permeability",
       .unit = "m2",
       .meaning = "Mean velocity times viscosity over the gradient of the pressure [Darcy's law], along the axis."},
      {.key = "permeability_darcy",
       .title = "permeability",
       .unit = "darcy",
       .meaning = "The same; 1 darcy is 9.869e-13 m2."},
      {.key = "permeability_from_flux_m2",
       .title = "permeability from the flux",
       .unit = "m2",
       .meaning = "By the mean velocity.",
       .in_table = false},
      {.key = "permeability_from_dissipation_m2",
       .title = "permeability from dissipation",
       .unit = "m2",
       .meaning = "By the power that friction takes; at the exact solution it is the one from the flux.",
       .in_table = false},
      {.key = "principal_permeabilities_m2",
       .title = "principal permeabilities",
       .unit = "m2",
       .meaning = "Of the whole box, along the principal directions."},
      {.key = "permeability_tensor_m2",
       .title = "permeability tensor",
       .unit = "m2",
       .meaning = "Rows and columns z, y, x.",
       .in_table = false},
      {.key = "principal_directions",
       .title = "principal directions (z, y, x)",
       .meaning = "Unit vectors, the most permeable first.",
       .in_table = false},
      {.key = "porosity", .title = "porosity", .meaning = "Voxels of the fluid over all."},
      {.key = "flowing_share",
       .title = "share of the fluid that flows",
       .meaning = "Voxels in parts that lead through; the rest stands still."},
      {.key = "thin_share",
       .title = "share of the pores thinner than 4 voxels",
       .meaning =
           "Flowing voxels in a chord of fluid of less than 4 voxels along an axis, where the flow is hardly resolved."},
      {.key = "hydraulic_diameter_mm",
       .title = "hydraulic diameter",
       .unit = "mm",
       .meaning = "Four times the volume of the flowing fluid over its wetted surface, of voxels."},
      {.key = "flow_rate_mm3_per_s",
       .title = "flow rate",
       .unit = "mm3/s",
       .meaning = "Through the faces of the axis, at the given drop of pressure; of the test flow all that flows in."},
      {.key = "pressure_drop_Pa",
       .title = "drop of pressure",
       .unit = "Pa",
       .meaning = "Mean pressure of what flows in, less that of what flows out."},
      {.key = "opening_inflow_mm3_per_s.*",
       .title = "flow rate in through",
       .unit = "mm3/s",
       .meaning = "By face or label, a second condition on one of them with a number; negative: the fluid leaves."},
      {.key = "opening_pressure_Pa.*",
       .title = "mean pressure at",
       .unit = "Pa",
       .meaning = "Over the area of the opening."},
      {.key = "mean_speed_mm_per_s",
       .title = "mean speed",
       .unit = "mm/s",
       .meaning = "Over the fluid that flows, of the test flow."},
      {.key = "highest_speed_mm_per_s", .title = "highest speed", .unit = "mm/s", .meaning = "At the centre of a voxel."},
      {.key = "force_on_solid_N",
       .title = "force on the solid (z, y, x)",
       .unit = "N",
       .meaning = "Of the fluid on the voxels that are solid, by pressure and friction; the walls in the faces of the image "
                  "are not in it.",
       .in_table = false},
      {.key = "force_coefficients",
       .title = "coefficients of that force (z, y, x)",
       .meaning = "Force over density / 2 * U^2 * A, with flow.reference_velocity_mm_per_s and flow.reference_area_mm2: "
                  "along the flow the drag coefficient, across it the lift coefficient."},
      {.key = "force_on_label_N.*",
       .title = "force (z, y, x) on label",
       .unit = "N",
       .meaning =
           "The part of the force on the solid that acts on the voxels of each of flow.force_labels; other: the rest, so "
           "that all together are force_on_solid_N.",
       .in_table = false},
      {.key = "force_coefficients_of_label.*",
       .title = "coefficients of the force (z, y, x) on label",
       .meaning = "As force_coefficients, of the force on each label."},
      {.key = "period_flow_rate_mm3_per_s.*",
       .title = "flow rate through the period along",
       .unit = "mm3/s",
       .meaning = "Towards the high face, through the image where it repeats itself."},
      {.key = "period_pressure_drop_Pa.*",
       .title = "drop of pressure over the period along",
       .unit = "Pa",
       .meaning = "From the low face to the high one: given, or found for the given flow rate."},
      {.key = "mean_wall_shear_stress_Pa",
       .title = "mean wall shear stress",
       .unit = "Pa",
       .meaning = "Of the moving fluid on its walls, over their area; the field wall_shear_stress of a steady flow holds it "
                  "voxel by voxel."},
      {.key = "wall_shear_stress_p95_Pa",
       .title = "wall shear stress, 95th percentile",
       .unit = "Pa",
       .meaning = "Over the voxels that have a wall."},
      {.key = "kinetic_energy_J",
       .title = "kinetic energy of the fluid",
       .unit = "J",
       .meaning = "Of [transient], at the end."},
      {.key = "end_s",
       .title = "time at the end",
       .unit = "s",
       .meaning = "Of [transient]: reached, or earlier, where steady."},
      {.key = "is_steady",
       .title = "is steady at the end",
       .meaning = "Of [transient]: whether it ended by flow.steady_change_per_s."},
      {.key = "change_per_s",
       .title = "change of the velocities at the end",
       .unit = "1/s",
       .meaning = "Of [transient]: largest change of a velocity in the last step over the step and the highest velocity."},
      {.key = "time_steps", .title = "steps in time", .meaning = "Of [transient]."},
      {.key = "shortest_step_s", .title = "shortest step", .unit = "s", .meaning = "Of [transient].", .in_table = false},
      {.key = "longest_step_s", .title = "longest step", .unit = "s", .meaning = "Of [transient].", .in_table = false},
      {.key = "highest_cfl",
       .title = "highest Courant number",
       .meaning = "Of [transient]: of any step, sum over the axes of speed times step over spacing."},
      {.key = "highest_divergence",
       .title = "largest divergence",
       .meaning = "Of [transient]: after any step, of a voxel, in highest velocities over the voxel's edge."},
      {.key = "probes.*.velocity_mm_per_s.last",
       .title = "velocity (z, y, x) at probe",
       .unit = "mm/s",
       .meaning =
           "Of a [[probe]]: at a point, or the mean over a box or a ball; of [transient] at the end. Lines have theirs "
           "in last.velocity_mm_per_s.",
       .in_table = false},
      {.key = "probes.*.speed_mm_per_s.last",
       .title = "speed at probe",
       .unit = "mm/s",
       .meaning = "The magnitude of that velocity; over a box or a ball the mean of the speeds."},
      {.key = "probes.*.speed_mm_per_s.mean",
       .title = "speed, mean over time, at probe",
       .unit = "mm/s",
       .meaning =
           "Of [transient], from the first record to the last by the trapezoidal rule; low and high beside it are the "
           "lowest and highest of any record."},
      {.key = "probes.*.pressure_Pa.last",
       .title = "pressure at probe",
       .unit = "Pa",
       .meaning = "Between the middles of voxels that have one; mean, low and high beside it as of the speed."},
      {.key = "probes.*.temperature_K.last", .title = "temperature at probe", .unit = "K", .meaning = "With flow.heat."},
      {.key = "probes.*.frequency_Hz",
       .title = "frequency at probe",
       .unit = "1/s",
       .meaning =
           "Of the component of the velocity that varies most, if it swings evenly: mean time between upward crossings "
           "of its mean over the second half of the time, three at least."},
      {.key = "pressure_method",
       .title = "solver of the pressure",
       .meaning = "Of [transient]: transforms, where the fluid is a whole box and each of its faces gives the pressure "
                  "everywhere or nowhere; else multigrid.",
       .in_table = false},
      {.key = "mass_imbalance",
       .title = "inflow less outflow, of the inflow",
       .meaning = "What the solver's tolerance leaves of a balance that is exact."},
      {.key = "forchheimer_permeability_m2",
       .title = "permeability by Forchheimer's law",
       .unit = "m2",
       .meaning = "K of drop / length = viscosity / K * velocity + beta * density * velocity^2, velocity of the whole "
                  "cross-section along the axis, fitted to the multiples."},
      {.key = "forchheimer_beta_per_m",
       .title = "inertial coefficient by Forchheimer's law",
       .unit = "1/m",
       .meaning = "beta of the same."},
      {.key = "forchheimer_error",
       .title = "largest distance from Forchheimer's law",
       .meaning = "Of the drop of a multiple, relative."},
      {.key = "cell_reynolds_number",
       .title = "highest Reynolds number of a voxel",
       .meaning = "Density times velocity across a face times the voxel's edge over viscosity.",
       .in_table = false},
      {.key = "upwinded_share",
       .title = "share of the faces with upwind differences",
       .meaning = "Sides of control volumes where the Reynolds number of a voxel exceeds 2 and flow.convection is blended; "
                  "limited: those of them that the limiter does not leave central.",
       .in_table = false},
      {.key = "limiter_residual",
       .title = "what the limiter would still change",
       .meaning = "With flow.convection = limited, of a steady flow: change of the answer, relative, that the solver would "
                  "ask for with the limiter's shares of the answer itself; the answer has those of a look before it.",
       .in_table = false},
      {.key = "peclet_number",
       .title = "Peclet number",
       .meaning = "Of the last dispersion: mean velocity in the pores times peclet_length_mm over the diffusivity."},
      {.key = "longitudinal_dispersion",
       .title = "dispersion along the flow, over the diffusivity",
       .meaning = "Of the last Peclet number, of the fluid that flows; dispersion in summary.json has all, with tensors."},
      {.key = "transverse_dispersion",
       .title = "dispersion across the flow, over the diffusivity",
       .meaning = "The same, mean of the two axes across."},
      {.key = "longitudinal_dispersion_m2_per_s",
       .title = "dispersion along the flow",
       .unit = "m2/s",
       .meaning = "The same, with flow.diffusivity_m2_per_s."},
      {.key = "peclet_length_mm",
       .title = "length of the Peclet number",
       .unit = "mm",
       .meaning = "Given, or the hydraulic diameter.",
       .in_table = false},
      {.key = "temperature_K.mean", .title = "temperature, mean", .unit = "K", .meaning = "Over fluid and solid."},
      {.key = "temperature_K.low", .title = "temperature, lowest", .unit = "K", .meaning = "Of any voxel."},
      {.key = "temperature_K.high", .title = "temperature, highest", .unit = "K", .meaning = "Of any voxel."},
      {.key = "temperature_K.fluid", .title = "temperature of the fluid, mean", .unit = "K", .meaning = "Over its voxels."},
      {.key = "temperature_K.solid", .title = "temperature of the solid, mean", .unit = "K", .meaning = "Over its voxels."},
      {.key = "opening_temperature_K.*",
       .title = "temperature of what passes",
       .unit = "K",
       .meaning = "Mean over the opening, weighted by the flow through each voxel (mixing cup)."},
      {.key = "face_inflow_W.*",
       .title = "heat in through",
       .unit = "W",
       .meaning = "By conduction and given flux, not by what flows; negative: heat leaves.",
       .is_silent_at_0 = true},
      {.key = "heat_source_W",
       .title = "heat made by sources",
       .unit = "W",
       .meaning = "In fluid and solid.",
       .is_silent_at_0 = true},
      {.key = "heat_carried_out_W",
       .title = "heat carried out by the flow",
       .unit = "W",
       .meaning = "What leaves by openings, less what enters."},
      {.key = "heat_stored_W",
       .title = "heat taken up by fluid and solid",
       .unit = "W",
       .meaning = "With [transient]: in the last step."},
      {.key = "wall_heat_W",
       .title = "heat into the fluid from walls",
       .unit = "W",
       .meaning = "From the solid, and from walls in the faces of the image that have a condition for heat."},
      {.key = "wall_temperature_K",
       .title = "temperature of these walls",
       .unit = "K",
       .meaning = "Mean over their area, on the wall itself."},
      {.key = "heat_transfer_coefficient_W_per_m2K",
       .title = "heat transfer coefficient",
       .unit = "W/(m2 K)",
       .meaning = "Heat into the fluid from walls over their area and the logarithmic mean of the difference between their "
                  "mean temperature and the fluid's, where it flows in and where it flows out; none where that difference "
                  "changes its sign."},
      {.key = "nusselt_number",
       .title = "Nusselt number",
       .meaning = "Heat transfer coefficient times hydraulic diameter over the conductivity of the fluid."},
      {.key = "heat_imbalance",
       .title = "heat in less heat out, of all",
       .meaning = "What the tolerance of the temperature leaves of a balance that is exact."},
      {.key = "highest_heat_imbalance",
       .title = "the same of the worst step",
       .meaning = "With [transient]: what enters less what leaves and what is stored, of all."},
      {.key = "flux_correction",
       .title = "correction of the velocities that carry heat",
       .meaning =
           "Of the flow that carries the temperature: how far its velocities on the faces of voxels were changed to keep "
           "mass in each voxel, root mean square over that of the velocities; what the tolerance of the flow leaves. "
           "Also of dispersion.",
       .in_table = false},
      {.key = "temperature_overshoot_K",
       .title = "temperature out of its bounds",
       .unit = "K",
       .meaning = "By how much the lowest or the highest temperature leaves the range of the given ones; where sources or "
                  "fluxes heat or cool, that side has no bound.",
       .in_table = false},
      {.key = "cell_peclet_number",
       .title = "highest Peclet number of a voxel",
       .meaning = "Velocity across a face times the voxel's edge times the heat capacity over the conductivity.",
       .in_table = false},
      {.key = "limited_share",
       .title = "share of the faces with a limited temperature",
       .meaning = "Faces that the fluid passes where the temperature is not the mean of the two voxels.",
       .in_table = false},
      {.key = "residence_time_s.mean",
       .title = "residence time, mean",
       .unit = "s",
       .meaning = "Age of what leaves, weighted by the flow: the volume that is renewed over the flow rate."},
      {.key = "residence_time_s.median", .title = "residence time, median", .unit = "s", .meaning = "Of what leaves."},
      {.key = "residence_time_s.p95", .title = "residence time, 95th percentile", .unit = "s", .meaning = "Of what leaves."},
      {.key = "fluid_age_s.mean",
       .title = "age of the fluid, mean",
       .unit = "s",
       .meaning = "Over the volume: since it flowed in; half the residence time in plug flow, all of it where it is mixed."},
      {.key = "fluid_age_s.median", .title = "age of the fluid, median", .unit = "s", .meaning = "Over the volume."},
      {.key = "fluid_age_s.p95", .title = "age of the fluid, 95th percentile", .unit = "s", .meaning = "Over the volume."},
      {.key = "fluid_age_s.high", .title = "age of the fluid, highest", .unit = "s", .meaning = "Of any voxel."},
      {.key = "stagnant_share",
       .title = "share of the fluid that stagnates",
       .meaning = "Older than three mean residence times, or in pores that nothing flows through."},
      {.key = "mean_velocity_mm_per_s",
       .title = "mean velocity in the pores",
       .unit = "mm/s",
       .meaning = "Along the axis, over the fluid that flows."},
      {.key = "hydraulic_tortuosity",
       .title = "hydraulic tortuosity",
       .meaning = "Mean speed over mean velocity along the axis; 1 is a straight path."},
      {.key = "permeability_error",
       .title = "error of the solver, at most",
       .meaning = "Distance of its bounds of the permeability over the permeability; the error of the voxels is not in it."},
      {.key = "permeability_bounds_m2",
       .title = "bounds of the permeability",
       .unit = "m2",
       .meaning = "Of the exact solution on these voxels, from the residual and the quality of the preconditioner.",
       .in_table = false,
       .in_report = false},
      {.key = "percolates_along.*",
       .title = "path of fluid along",
       .meaning = "Whether one leads through.",
       .in_table = false},
      {.key = "asymmetry",
       .title = "asymmetry of the tensor",
       .meaning = "What the solver's tolerance leaves, in mean velocities, of a symmetry that is exact.",
       .in_table = false},
      {.key = "reynolds_number",
       .title = "Reynolds number",
       .meaning = "Density times mean velocity (of the test flow, mean speed) times hydraulic diameter over viscosity; the "
                  "permeability is that of creeping flow, far below 1."},
  };
  for (answer& more : buoyancy_answers()) all.push_back(std::move(more));
  return all;
}

}  // namespace

const physics& flow() {
  static const physics row{.name = "flow",
                           .meaning = "permeability of the pores, by steady Stokes flow, and flow between openings",
                           .caption = "Flow through the pores",
                           .synonyms = {"stokes", "permeability", "fluid", "darcy", "cfd", "navierstokes"},
                           .answers = flow_answers(),
                           .keys = describe_flow,
                           .about_keys = "The fluid of a flow job.",
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
                                 if (flow_test(job) == "flow") return std::vector<std::string>{};
                                 if (flow_test(job) == "dispersion") return std::vector<std::string>{"periodic"};
                                 return std::vector<std::string>{"periodic", "mirrored", "closed"};
                               },
                           .rules = flow_rules,
                           .labels = labels_of_flow,
                           .system = {io::centring::cell, 4},
                           .costs = costs_of_flow,
                           .default_tolerance = 1e-4,
                           .work = flow_work,
                           .most_components = [](const spec&) { return 3; },
                           .has_lines = true,
                           .draws_lines = true,
                           .run = run_flow,
                           .rehearse = rehearse_flow,
                           .why_not_rehearsed = why_flow_is_not_rehearsed,
                           .paint = paint_speeds};
  return row;
}

}  // namespace osteon::job
