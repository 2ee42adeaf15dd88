#include <osteon/physics/shared/condition_keys.hpp>

#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr const char* own_table = "move the key to a [[boundary]] of its own, or remove it";

void add_boundary_keys(key_list<boundary_spec> t) {
  t("face", &boundary_spec::face,
    "Face of the image: z_low, z_high, y_low, ..., or z, y or x for both faces of the axis. Optional for a fluid: without "
    "face, the condition applies to the surface of solid voxels inside the image, selected by label, box or ball. With "
    "label, face selects the voxel faces of this direction.",
    {.choices = {"z_low", "z_high", "y_low", "y_high", "x_low", "x_high", "z", "y", "x"}});
  t("label", &boundary_spec::label,
    "Fluid: apply to the surface between the fluid and the non-fluid voxels with this label of flow.label_image or of the "
    "label image.");
  t("kind", &boundary_spec::kind,
    "Boundary condition. temperature: temperature of the face (heat; default). flux: heat flux into the solid. convection: "
    "heat transfer to surroundings at an ambient temperature. periodic: couples both faces of an axis (heat, fluid). "
    "velocity: mean inflow velocity. flow_rate: inflow rate. pressure: pressure, with flow normal to the face. outlet: "
    "pressure, without viscous stress from outside. slip: impermeable and frictionless, as on a symmetry plane. wall: "
    "no-slip wall, which may move tangentially (slide_mm_per_s). With flow.heat, temperature, flux and convection apply to "
    "the solid and walls, in addition to the tables of the fluid for the same face.");
  t("temperature_K", &boundary_spec::temperature_K,
    "Temperature in K: of the face, of the surroundings (convection), or of the inflow (flow.heat).",
    {.kinds = {only(condition_kind::temperature, condition_kind::convection, condition_kind::velocity,
                    condition_kind::flow_rate, condition_kind::pressure, condition_kind::outlet)
                   .needed_by(condition_kind::temperature, condition_kind::convection)},
     .remedy = "specify the thermal condition of this wall in a separate table with kind = \"temperature\", \"flux\" or "
               "\"convection\", or remove the key"});
  t("flux_W_per_m2", &boundary_spec::flux_W_per_m2, "Heat flux into the solid in W/m2; negative: cooling.",
    {.kinds = {only(condition_kind::flux).needed()}});
  t("transfer_W_per_m2K", &boundary_spec::transfer_W_per_m2K, "Heat transfer coefficient in W/(m2 K), > 0.",
    {.range = positive("W/(m2 K)"), .kinds = {only(condition_kind::convection).needed()}});
  t("velocity_mm_per_s", &boundary_spec::velocity_mm_per_s,
    "velocity: mean velocity over the opening in mm/s; positive: into the image.",
    {.kinds = {only(condition_kind::velocity).needed()}, .remedy = own_table});
  t("flow_rate_mm3_per_s", &boundary_spec::flow_rate_mm3_per_s,
    "flow_rate: flow rate through the opening in mm3/s; positive: into the image. periodic: flow rate towards the high "
    "face.",
    {.kinds = {only(condition_kind::flow_rate, condition_kind::periodic).needed_by(condition_kind::flow_rate)},
     .remedy = own_table});
  t("pressure_drop_Pa", &boundary_spec::pressure_drop_Pa,
    "periodic (fluid): pressure drop from the low to the high face in Pa; may be negative. Alternatively, "
    "flow_rate_mm3_per_s prescribes the flow rate and the pressure drop is computed. Default: no driving force.",
    {.kinds = {only(condition_kind::periodic)}, .remedy = own_table});
  t("pressure_Pa", &boundary_spec::pressure_Pa, "pressure, outlet: pressure in Pa; default for outlet: 0.",
    {.kinds = {only(condition_kind::pressure, condition_kind::outlet).needed_by(condition_kind::pressure)},
     .remedy = own_table});
  t("profile", &boundary_spec::profile,
    "Velocity profile of an opening with kind velocity or flow_rate. uniform: constant (default). developed: developed flow "
    "in a straight channel with the cross-section of the opening, a parabola between plates. parabolic: product of two "
    "parabolas over the bounding rectangle of the opening.",
    {.kinds = {only(condition_kind::velocity, condition_kind::flow_rate)}});
  t("slide_mm_per_s", &boundary_spec::slide_mm_per_s, "wall: tangential velocity [z, y, x] in mm/s.",
    {.is_vector = true, .kinds = {only(condition_kind::wall)}, .remedy = own_table});
  t("low_mm", &boundary_spec::low_mm,
    "Apply only to voxels with their centre in the box from low_mm to high_mm ([z, y, x], in the coordinates of [[set]]); "
    "without face, only to solid voxels. A condition on a part of a face overrides the condition on the whole face.",
    {.is_vector = true});
  t("high_mm", &boundary_spec::high_mm, "High corner of the box [z, y, x].", {.is_vector = true});
  t("centre_mm", &boundary_spec::centre_mm,
    "Apply only within radius_mm of this point [z, y, x]. The distance is measured along the face; without face, in all "
    "directions.",
    {.is_vector = true});
  t("radius_mm", &boundary_spec::radius_mm, "Radius of the disc or ball in mm, > 0.", {.range = positive("mm")});
  t("factor_at_s", &boundary_spec::factor_at_s,
    "Fluid with [transient]: factors [[time in s, factor], ...] of velocity, flow rate, pressure, pressure drop or wall "
    "velocity, interpolated linearly, constant before the first and after the last time. Default: constant values.");
  t("period_s", &boundary_spec::period_s, "Period of factor_at_s in s. Default: not periodic.");
}

void add_time_keys(key_list<transient_spec> t) {
  t("initial_K", &transient_spec::initial_K, "Heat, flow.heat: initial temperature in K.");
  t("end_s", &transient_spec::end_s, "End time in s.");
  t("step_s", &transient_spec::step_s,
    "Time step size in s, reduced so that an integer number of steps ends at end_s. Default for flow with inertia: "
    "adaptive, "
    "limited by flow.cfl.");
  t("output_every_s", &transient_spec::output_every_s, "Time between records of the history in s; 0: every step.",
    {.range = at_least(0, "s")});
  t("scheme", &transient_spec::scheme,
    "Time integration. implicit_euler: first order, does not overshoot (default for heat). crank_nicolson: second order, "
    "may oscillate after a sudden change (default for the viscous terms of flow).");
  t("write_steps", &transient_spec::write_steps,
    "Write the fields of each record (temperature; flow: velocity and pressure) to steps/step_<number>.vtkhdf, and the time "
    "series results.vtkhdf.series for ParaView.");
}

}  // namespace

std::string reason_for_step_files(const spec& job) {
  return job.groups.of<condition_keys>().transient ? "the job writes records of its time steps ([transient])" : "";
}

void register_condition_keys(key_table& job) {
  if (job.has_table("boundary")) return;  // another physics with conditions on faces has already registered these keys
  key_table& load = job.table("load", "");
  const auto group = [](spec& s) -> auto& { return s.groups.of<condition_keys>(); };
  auto t = load.keys_in<condition_keys, spec>(group, 20);
  t("low_K", &condition_keys::low_K, "Temperature of the low face in K.");
  t("high_K", &condition_keys::high_K, "Temperature of the high face in K.");
  load.keys_in<condition_keys, spec>(group, 50)(
      "gradient_K_per_mm", &condition_keys::gradient_K_per_mm,
      "heat_transfer: mean temperature gradient [z, y, x]. It is the difference between periodic faces and is added to "
      "prescribed temperatures, from the centre of the image.",
      {.is_vector = true});
  add_boundary_keys(job.list<spec>(
                           "boundary",
                           "Boundary condition on a face of the image, for the tests heat_transfer (other faces are "
                           "insulated) and flow (all other faces and surfaces are no-slip walls).",
                           [](spec& s) -> auto& { return s.groups.of<condition_keys>().boundaries; }, 130)
                        .keys<boundary_spec>());
  add_time_keys(job.optional_table<spec>(
                       "transient", "Transient solution: heat from a uniform initial temperature, or the test flow.",
                       [](spec& s) -> auto& { return s.groups.of<condition_keys>().transient; }, 150)
                    .keys<transient_spec>());
}

}  // namespace osteon::physics
