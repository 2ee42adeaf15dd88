#include <osteon/physics/flow/keys/flow_keys.hpp>

#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

void add_buoyancy_keys(key_list<flow_keys> t) {
  t("expansion_per_K", &flow_keys::expansion_per_K,
    "With heat: volumetric thermal expansion of the fluid in 1/K for buoyancy (Boussinesq); negative for water below 4 C. "
    "Requires gravity_m_per_s2. Flow and temperature are solved alternately.",
    {.with = "heat"});
  t("gravity_m_per_s2", &flow_keys::gravity_m_per_s2,
    "With expansion_per_K: gravitational acceleration [z, y, x] in m/s2, for example [-9.81, 0, 0] if z points up.",
    {.is_vector = true});
  t("reference_temperature_K", &flow_keys::reference_temperature_K,
    "With expansion_per_K: temperature in K at which the fluid has density_kg_per_m3; prescribed pressures are relative to "
    "the hydrostatic pressure at this temperature. Default: mean of the extreme prescribed temperatures. No effect without "
    "prescribed pressures.");
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
  auto t = job.table("flow", "Fluid of a flow job.").keys_in_group<flow_keys>();
  t("fluid", &flow_keys::fluid,
    "Voxels of the fluid. empty: voxels that [segment] does not select as solid, the pores if the solid is bright. solid: "
    "voxels that [segment] selects, for images with bright pores.");
  t("fluid_labels", &flow_keys::fluid_labels, "With segment.labels: labels of the fluid, instead of void labels.");
  t("viscosity_Pa_s", &flow_keys::viscosity_Pa_s,
    "Dynamic viscosity in Pa s, > 0. Affects velocities, not the permeability. Default: water.",
    {.range = positive("Pa s")});
  t("density_kg_per_m3", &flow_keys::density_kg_per_m3, "Density in kg/m3, > 0, for the Reynolds number. Default: water.",
    {.range = positive("kg/m3")});
  t("pressure_drop_Pa", &flow_keys::pressure_drop_Pa,
    "permeability: pressure difference in Pa between the two faces of each direction, > 0. It determines velocities, flow "
    "rate and Reynolds number. Default: 1.",
    {.range = positive("Pa"), .remedy = "give pressures by [[boundary]] with kind = \"pressure\""});
  t("inertia", &flow_keys::inertia,
    "Test flow: solve the Navier-Stokes equations instead of the Stokes equations (creeping flow).");
  t("convection", &flow_keys::convection,
    "With inertia: differencing scheme of the convection term where the Reynolds number of a voxel exceeds 2. blended: "
    "partly upwind, "
    "without oscillations. limited: central differences with van Leer's limiter, second order for smooth velocities. "
    "central: central differences.");
  t("reference_velocity_mm_per_s", &flow_keys::reference_velocity_mm_per_s,
    "Test flow: reference velocity U of force_coefficients in mm/s, > 0; requires reference_area_mm2.",
    {.range = positive("mm/s")});
  t("reference_area_mm2", &flow_keys::reference_area_mm2,
    "Test flow: reference area A of force_coefficients in mm2, > 0; for a body in a channel the area normal to the flow.",
    {.range = positive("mm2")});
  t("force_labels", &flow_keys::force_labels,
    "Test flow: labels of solid voxels, in the label image or label_image, for which the force of the fluid is reported "
    "separately.");
  t("label_image", &flow_keys::label_image,
    "Test flow: label image of force_labels and [[boundary]] label, with the shape of the scan. The image is cropped with "
    "the scan. Voxels with the label of a [[boundary]] are not fluid. Default: the scan, with segment.labels.");
  t("multiples", &flow_keys::multiples,
    "Test flow: factors of all prescribed velocities, flow rates, pressures and pressure drops. The job solves each "
    "multiple and stores the fields of the last one. With inertia, Forchheimer's law is fitted to the multiples.");
  t("cfl", &flow_keys::cfl,
    "Test flow with [transient] and inertia: maximum Courant number (sum over the axes of speed times step over spacing), "
    "in (0, 1]. This number limits the adaptive step; a larger transient.step_s is rejected. Default: 0.5.",
    {.with = "inertia"});
  t("start", &flow_keys::start,
    "Test flow with [transient]: initial flow. rest: zero velocity (default). creeping: steady flow without inertia. "
    "steady: steady flow with inertia.");
  t("steady_change_per_s", &flow_keys::steady_change_per_s,
    "Test flow with [transient]: stop before end_s if no velocity changes within a second by more than this fraction of the "
    "highest velocity.",
    {.range = positive("1/s")});
  t("heat", &flow_keys::heat,
    "Test flow: also compute the temperature of fluid and solid (conjugate heat transfer). [[material]] defines the "
    "conductivity of the solid; without [[material]] the solid is insulating.");
  t("conductivity_W_per_mK", &flow_keys::conductivity_W_per_mK,
    "With heat: thermal conductivity of the fluid in W/(m K), > 0. Default: 0.6 (water).",
    {.range = positive("W/(m K)"), .with = "heat"});
  t("heat_capacity_J_per_m3K", &flow_keys::heat_capacity_J_per_m3K,
    "With heat: volumetric heat capacity of the fluid in J/(m3 K), > 0. Default: 4.18e6 (water).",
    {.range = positive("J/(m3 K)"), .with = "heat"});
  t("heat_source_W_per_m3", &flow_keys::heat_source_W_per_m3, "With heat: heat source density in the fluid in W/m3.",
    {.with = "heat"});
  t("heat_convection", &flow_keys::heat_convection,
    "With heat: differencing scheme of the convection term where the Peclet number of a voxel exceeds 2. limited: central "
    "differences with van Leer's limiter. hybrid: first order, without oscillations. central: central differences, which "
    "may oscillate.",
    {.with = "heat"});
  t("residence_time", &flow_keys::residence_time,
    "Test flow, steady: also compute the residence time, the mean age of the fluid since its inflow, at each voxel.");
  add_buoyancy_keys(t);
  t("peclet_numbers", &flow_keys::peclet_numbers,
    "dispersion: Peclet numbers (mean pore velocity times peclet_length_mm over the diffusivity), >= 0; 0 is pure "
    "diffusion. A tensor is computed for each. Default: Peclet number of the flow at pressure_drop_Pa with "
    "diffusivity_m2_per_s.",
    {.range = at_least(0, "")});
  t("peclet_length_mm", &flow_keys::peclet_length_mm,
    "dispersion: length of the Peclet number in mm, > 0. Default: hydraulic diameter.", {.range = positive("mm")});
  t("diffusivity_m2_per_s", &flow_keys::diffusivity_m2_per_s,
    "dispersion: molecular or thermal diffusivity in m2/s, > 0; without this key, tensors are reported only relative to the "
    "diffusivity. residence_time: self-diffusivity of the fluid; default: 2.3e-9 (water).",
    {.range = positive("m2/s", ": fluid at rest is renewed by diffusion only")});
}

std::vector<load_test> tests_of_flow() {
  return {{"permeability", "permeability along the axis"},
          {"permeability_tensor", "permeability tensor"},
          {"dispersion", "dispersion tensor of a solute with mean flow along the axis"},
          {"flow", "flow between the openings of the [[boundary]] tables"}};
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
