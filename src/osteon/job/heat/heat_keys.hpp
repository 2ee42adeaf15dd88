#pragma once
/// @file
/// The keys of conditions on faces and of steps in time, for the visitors of keys.hpp.
#include <osteon/job/spec.hpp>

namespace osteon::job {

template <class Visitor>
void describe_boundary(Visitor& t, boundary_spec& b) {
  t("face", b.face, "z_low, z_high, y_low, ...; or z, y or x for both faces of the axis.",
    {"z_low", "z_high", "y_low", "y_high", "x_low", "x_high", "z", "y", "x"});
  t("kind", b.kind,
    "temperature of the face; flux into the solid; convection to an ambient; periodic: both faces of an axis are "
    "one.",
    {"temperature", "flux", "convection", "periodic"});
  t("temperature_K", b.temperature_K, "Temperature of the face, or of the ambient, in K.");
  t("flux_W_per_m2", b.flux_W_per_m2, "Heat into the solid in W/m2; negative cools.");
  t("transfer_W_per_m2K", b.transfer_W_per_m2K, "Heat transfer coefficient in W/(m2 K), > 0.");
}

template <class Visitor>
void describe_transient(Visitor& t, transient_spec& p) {
  t("initial_K", p.initial_K, "Temperature at the start in K.");
  t("end_s", p.end_s, "Time at the end in s.");
  t("step_s", p.step_s, "Step in s; shortened so that a whole number of steps reaches the end.");
  t("output_every_s", p.output_every_s, "Time between the records of the history; 0: every step.");
  t("scheme", p.scheme,
    "implicit_euler: first order, never overshoots. crank_nicolson: second order, may oscillate after "
    "a sudden change.",
    {"implicit_euler", "crank_nicolson"});
  t("write_steps", p.write_steps,
    "Write the temperatures of each record to steps/step_<number>.vtkhdf, and results.vtkhdf.series, "
    "which ParaView opens as one series in time.");
}

}  // namespace osteon::job
