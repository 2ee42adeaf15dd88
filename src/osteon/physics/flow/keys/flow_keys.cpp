#include <osteon/physics/flow/keys/flow_keys.hpp>

#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

void add_buoyancy_keys(key_list<flow_keys> t) {
  t("expansion_per_K", &flow_keys::expansion_per_K,
    "With heat: buoyancy (Boussinesq); thermal expansion of the fluid in 1/K, by which its weight falls as it gets warmer; "
    "below 0: warm fluid sinks, as water below 4 C. With gravity_m_per_s2. Flow and temperature are then solved in turns.",
    {.with = "heat"});
  t("gravity_m_per_s2", &flow_keys::gravity_m_per_s2,
    "With expansion_per_K: acceleration in m/s2, z, y, x, the way things fall: [-9.81, 0, 0] where z is up.",
    {.is_vector = true});
  t("reference_temperature_K", &flow_keys::reference_temperature_K,
    "With expansion_per_K: temperature in K at which the fluid has its density; given pressures are those above the "
    "hydrostatic one there. Left out: the middle of the given temperatures. Where no pressure is given it changes nothing.");
}

}  // namespace

void register_flow_keys(key_table& job) {
  register_condition_keys(job);
  register_probe_keys(job);
  using enum flow_test;
  const key_tests of_pores{"flow", names_of(permeability, permeability_tensor, dispersion)}, between{"flow", names_of(flow)};
  for (const key_tests& tests : {of_pores, between})
    job.accept(tests, {"flow", "picture.field", "material.heat_capacity_J_per_m3K"});
  job.accept(of_pores, {"load.boundary_condition", "flow.pressure_drop_Pa"});
  job.accept(between, keys_of_openings());
  job.accept(between, {"boundary", "boundary.factor_at_s", "boundary.period_s", "transient", "probe", "picture.pathlines",
                       "picture.shows", "material.heat_source_W_per_m3"});
  job.accept({"flow", names_of(dispersion)}, {"flow.peclet_numbers", "flow.peclet_length_mm", "flow.diffusivity_m2_per_s"});
  auto t = job.table("flow", "The fluid of a flow job.").keys_in_group<flow_keys>();
  t("fluid", &flow_keys::fluid,
    "Which voxels the fluid fills: empty, those that [segment] leaves empty, the pores of a solid above the threshold; "
    "solid, "
    "those that it calls solid, where the image shows pores bright.");
  t("fluid_labels", &flow_keys::fluid_labels,
    "With segment.labels: the labels that the fluid fills, instead of those that are empty.");
  t("viscosity_Pa_s", &flow_keys::viscosity_Pa_s,
    "Dynamic viscosity in Pa s, > 0; left out: that of water. Velocities are for it, the permeability is the same for any.",
    {.range = positive("Pa s")});
  t("density_kg_per_m3", &flow_keys::density_kg_per_m3,
    "Density in kg/m3, > 0, for the Reynolds number; left out: that of water.", {.range = positive("kg/m3")});
  t("pressure_drop_Pa", &flow_keys::pressure_drop_Pa,
    "Of permeability: difference of pressure between the two faces of the direction in Pa, > 0; left out: 1. Velocities, "
    "flow rate and Reynolds number are for it.",
    {.range = positive("Pa"), .remedy = "give pressures by [[boundary]] with kind = \"pressure\""});
  t("inertia", &flow_keys::inertia,
    "Of the test flow: whether the fluid has inertia, the steady Navier-Stokes equations; else it creeps (Stokes).");
  t("convection", &flow_keys::convection,
    "With inertia: blended, central differences, and where the Reynolds number of a voxel exceeds 2, so much upwind that "
    "nothing oscillates; limited: there what van Leer's limiter allows of central differences, second order where the "
    "velocity is smooth; central: central everywhere.");
  t("reference_velocity_mm_per_s", &flow_keys::reference_velocity_mm_per_s,
    "Of the test flow: velocity U of force_coefficients in mm/s, > 0; with reference_area_mm2.",
    {.range = positive("mm/s")});
  t("reference_area_mm2", &flow_keys::reference_area_mm2,
    "Of the test flow: area A of force_coefficients in mm2, > 0: for a body in a channel, its area across the flow.",
    {.range = positive("mm2")});
  t("force_labels", &flow_keys::force_labels,
    "Of the test flow: labels of solid voxels whose share of the force on the solid is told by itself, of the label image "
    "or "
    "of label_image.");
  t("label_image", &flow_keys::label_image,
    "Of the test flow: image of labels for force_labels and [[boundary]] label, of the shape of the scan and cropped with "
    "it; "
    "left out: the image itself, with segment.labels. Voxels of a label with a [[boundary]] are not fluid.");
  t("multiples", &flow_keys::multiples,
    "Of the test flow: factors of all given velocities, flow rates, pressures and drops of pressure; a flow for each, with "
    "heat a temperature for each, the fields are those of the last. With inertia, Forchheimer's law is fitted to them.");
  t("cfl", &flow_keys::cfl,
    "Of the test flow with [transient] and inertia: largest Courant number of a step, the sum over the axes of speed times "
    "step "
    "over spacing, > 0 and at most 1; left out: 0.5. Without transient.step_s steps follow it, with it a longer step is "
    "refused.",
    {.with = "inertia"});
  t("start", &flow_keys::start,
    "Of the test flow with [transient]: rest, set in motion at once, used if this is left out; creeping: the flow without "
    "inertia; steady: the steady flow with inertia.");
  t("steady_change_per_s", &flow_keys::steady_change_per_s,
    "Of the test flow with [transient]: end before end_s, once no velocity changes in a second by more than this share of "
    "the "
    "highest one.",
    {.range = positive("1/s")});
  t("heat", &flow_keys::heat,
    "Of the test flow: whether the temperature is computed, too, of the fluid, which carries it, and of the solid. The "
    "solid "
    "has a conductivity by [[material]]; without one it conducts nothing.");
  t("conductivity_W_per_mK", &flow_keys::conductivity_W_per_mK,
    "With heat: thermal conductivity of the fluid in W/(m K), > 0; left out: 0.6, that of water.",
    {.range = positive("W/(m K)"), .with = "heat"});
  t("heat_capacity_J_per_m3K", &flow_keys::heat_capacity_J_per_m3K,
    "With heat: density times specific heat of the fluid in J/(m3 K), > 0; left out: 4.18e6, that of water.",
    {.range = positive("J/(m3 K)"), .with = "heat"});
  t("heat_source_W_per_m3", &flow_keys::heat_source_W_per_m3, "With heat: heat made in the fluid in W/m3.",
    {.with = "heat"});
  t("heat_convection", &flow_keys::heat_convection,
    "With heat: limited, central differences, and where the Peclet number of a voxel exceeds 2, what van Leer's limiter "
    "allows; hybrid: there only what cannot oscillate whatever the temperature is, first order; central: central "
    "everywhere, "
    "which may oscillate.",
    {.with = "heat"});
  t("residence_time", &flow_keys::residence_time,
    "Of the test flow, steady: whether the residence time is computed, too: the mean age of the fluid at each voxel since "
    "it "
    "flowed in.");
  add_buoyancy_keys(t);
  t("peclet_numbers", &flow_keys::peclet_numbers,
    "Of dispersion: mean velocity in the pores times peclet_length_mm over the diffusivity, each >= 0, and 0 is diffusion "
    "alone; a tensor for each. Left out: that of the flow at pressure_drop_Pa, with diffusivity_m2_per_s.",
    {.range = at_least(0, "")});
  t("peclet_length_mm", &flow_keys::peclet_length_mm,
    "Of dispersion: length of the Peclet number in mm, > 0; left out: the hydraulic diameter.", {.range = positive("mm")});
  t("diffusivity_m2_per_s", &flow_keys::diffusivity_m2_per_s,
    "Of dispersion: molecular diffusivity of what is carried, or thermal one, in m2/s, > 0; left out: tensors are told over "
    "it only. With residence_time: by what the fluid mixes with itself where it hardly flows; left out: 2.3e-9, the "
    "self-diffusion of water.",
    {.range = positive("m2/s", ": in fluid at rest only diffusion renews the fluid")});
}

std::vector<load_test> tests_of_flow() {
  return {{"permeability", "of the fluid, along the axis"},
          {"permeability_tensor", "along all"},
          {"dispersion", "of what the fluid carries along the axis"},
          {"flow", "of a fluid, between the openings of the [[boundary]] tables"}};
}

flow_test test_of_flow(const spec& job) {
  return value_named<flow_test>(job.load.test.value_or(""))
      .value_or(job.groups.of<condition_keys>().boundaries.empty() ? flow_test::permeability : flow_test::flow);
}

std::optional<flow_field> shown_field_of_flow(const spec& job) {
  return value_named<flow_field>(job.picture.field.value_or(""));
}

std::vector<std::string> keys_of_openings() {
  return {"flow.inertia",
          "flow.reference_velocity_mm_per_s",
          "flow.reference_area_mm2",
          "flow.force_labels",
          "flow.label_image",
          "flow.multiples",
          "flow.cfl",
          "flow.start",
          "flow.steady_change_per_s",
          "flow.heat",
          "flow.residence_time",
          "flow.diffusivity_m2_per_s",
          "boundary.label",
          "boundary.low_mm",
          "boundary.high_mm",
          "boundary.centre_mm",
          "boundary.radius_mm"};
}

}  // namespace osteon::physics
