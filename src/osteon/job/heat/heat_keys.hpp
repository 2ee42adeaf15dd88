#pragma once
/// @file
/// The keys of conditions on faces and of steps in time, for the visitors of keys.hpp.
#include <osteon/job/spec.hpp>

namespace osteon::job {

template <class Visitor>
void describe_boundary(Visitor& t, boundary_spec& b) {
  t("face", b.face,
    "z_low, z_high, y_low, ...; or z, y or x for both faces of the axis. Of a fluid it may be left out: the condition then "
    "is "
    "on the surface of solid voxels inside the image, those with label, or those in a box or ball; with label: only those "
    "of their faces that look this way.",
    {"z_low", "z_high", "y_low", "y_high", "x_low", "x_high", "z", "y", "x"});
  t("label", b.label,
    "Of a fluid: on the surface between the fluid and the voxels with this label, which are not fluid: of flow.label_image, "
    "else of the label image.");
  t("kind", b.kind,
    "Of heat: temperature of the face (if left out); flux into the solid; convection to an ambient. Of heat and of a fluid: "
    "periodic: both faces of an axis are one. Of a fluid: velocity or flow_rate, into the image; pressure: given on the "
    "face, through which the "
    "fluid passes at right angles; outlet: given pressure, and no friction from outside; slip: nothing passes and nothing "
    "holds the fluid back, also a plane of symmetry; wall: no slip, it may slide. With flow.heat temperature, flux and "
    "convection are of the solid and of walls, beside tables of the fluid for the same face.",
    {"temperature", "flux", "convection", "periodic", "velocity", "flow_rate", "pressure", "outlet", "slip", "wall"});
  t("temperature_K", b.temperature_K,
    "Temperature of the face, or of the ambient, in K; of an opening, with flow.heat: of what flows in.");
  t("flux_W_per_m2", b.flux_W_per_m2, "Heat into the solid in W/m2; negative cools.");
  t("transfer_W_per_m2K", b.transfer_W_per_m2K, "Heat transfer coefficient in W/(m2 K), > 0.");
  t("velocity_mm_per_s", b.velocity_mm_per_s,
    "velocity: mean over the fluid of the opening in mm/s, into the image; negative leaves.");
  t("flow_rate_mm3_per_s", b.flow_rate_mm3_per_s,
    "flow_rate: through all of the opening in mm3/s, into the image; negative leaves. periodic: towards the high face.");
  t("pressure_drop_Pa", b.pressure_drop_Pa,
    "periodic, of a fluid: by how much the pressure falls from the low face to the high one, in Pa; negative drives "
    "backwards. Or flow_rate_mm3_per_s, towards the high face: the drop that makes it is sought. Neither: nothing drives.");
  t("pressure_Pa", b.pressure_Pa, "pressure: in Pa; outlet: the same, left out: 0.");
  t("profile", b.profile,
    "velocity and flow_rate: uniform, used if this is left out; developed: as far inside a straight channel of the "
    "opening's "
    "shape, a parabola between plates; parabolic: the product of two parabolas over the rectangle around the opening.",
    {"uniform", "developed", "parabolic"});
  t("slide_mm_per_s", b.slide_mm_per_s, "wall: its velocity [z, y, x] in mm/s, along the face.");
  t("low_mm", b.low_mm,
    "Only where the voxel's centre lies in the box from low_mm to high_mm, [z, y, x] as the positions of sets; without face "
    "the centre of the solid voxel. What names a part of a face goes before what names all of it.");
  t("high_mm", b.high_mm, "The box's high corner [z, y, x].");
  t("centre_mm", b.centre_mm,
    "Only within radius_mm of this point [z, y, x], measured along the face; without face in all directions.");
  t("radius_mm", b.radius_mm, "Radius of that disc in mm, > 0.");
  t("factor_at_s", b.factor_at_s,
    "Of a fluid with [transient]: [[time, factor], ...] of velocity, flow rate, pressure, drop of pressure or slide; linear "
    "between these "
    "times in s, before and after them as there. Left out: constant.");
  t("period_s", b.period_s, "factor_at_s repeats itself after so many seconds; left out: it does not.");
}

template <class Visitor>
void describe_transient(Visitor& t, transient_spec& p) {
  t("initial_K", p.initial_K, "Of heat, and of flow.heat: temperature at the start in K.");
  t("end_s", p.end_s, "Time at the end in s.");
  t("step_s", p.step_s,
    "Step in s; shortened so that a whole number of steps reaches the end. Of flow with inertia, left out: as long as "
    "flow.cfl allows.");
  t("output_every_s", p.output_every_s, "Time between the records of the history; 0: every step.");
  t("scheme", p.scheme,
    "implicit_euler: first order, never overshoots; of heat used if this is left out. crank_nicolson: second order, may "
    "oscillate after a sudden change; of the friction of flow used if this is left out.",
    {"implicit_euler", "crank_nicolson"});
  t("write_steps", p.write_steps,
    "Write the temperatures, of flow velocity and pressure, of each record to steps/step_<number>.vtkhdf, and "
    "results.vtkhdf.series, "
    "which ParaView opens as one series in time.");
}

}  // namespace osteon::job
