#include <osteon/physics/flow/probes/probe_keys.hpp>

#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

void register_probe_keys(key_table& job) {
  auto t = job.list<spec>(
                  "probe",
                  "Probe that records velocity, pressure and temperature in the test flow (docs/reference/flow.md): a point "
                  "(at_mm), "
                  "a line (from_mm, to_mm), or the mean over a box (low_mm, high_mm) or a ball (centre_mm, radius_mm). The "
                  "records are written to probes.csv.",
                  [](spec& s) -> auto& { return s.groups.of<probe_keys>().probes; }, 140)
               .keys<probe_spec>();
  t("name", &probe_spec::name, "Name of the probe: letters, digits and _.", {.use = key_use::files});
  t("at_mm", &probe_spec::at_mm,
    "Point [z, y, x] in the fluid, in the coordinates of [[set]]; values are interpolated linearly between voxel centres.",
    {.is_vector = true});
  t("from_mm", &probe_spec::from_mm, "Start of a line [z, y, x]. In the solid the velocity is 0 and the pressure undefined.",
    {.is_vector = true});
  t("to_mm", &probe_spec::to_mm, "End of the line [z, y, x].", {.is_vector = true});
  t("points", &probe_spec::points, "Number of points of the line including both ends, 2 to 1000.",
    {.range = from_to(2, 1000)});
  t("low_mm", &probe_spec::low_mm, "Low corner of a box [z, y, x]: mean over the fluid voxels with their centre in the box.",
    {.is_vector = true});
  t("high_mm", &probe_spec::high_mm, "High corner of the box [z, y, x].", {.is_vector = true});
  t("centre_mm", &probe_spec::centre_mm,
    "Centre of a ball [z, y, x]: mean over the fluid voxels with their centre in the ball.", {.is_vector = true});
  t("radius_mm", &probe_spec::radius_mm, "Radius of the ball in mm, > 0.", {.range = positive("mm")});
  t("fields", &probe_spec::fields,
    "Recorded quantities. Default: velocity (components z, y, x), speed, pressure and, with flow.heat, temperature. Only "
    "the temperature is also defined in the solid.",
    {.choices = {"velocity", "speed", "pressure", "temperature"}});
  t("every", &probe_spec::every, "With [transient]: steps between records; 0: interval of transient.output_every_s.",
    {.range = at_least(0, "steps")});
}

}  // namespace osteon::physics
