#pragma once
/// @file
/// The keys of a [[probe]], for the visitors of keys.hpp.
#include <osteon/job/spec.hpp>

namespace osteon::job {

template <class Visitor>
void describe_probe(Visitor& t, probe_spec& p) {
  t("name", p.name, "Name of the probe: letters, digits and _.");
  t("at_mm", p.at_mm,
    "A point [z, y, x], in the fluid, as the positions of sets; values are linear between the middles of voxels.");
  t("from_mm", p.from_mm, "A line from this point [z, y, x] to to_mm. In solid the velocity is 0 and there is no pressure.");
  t("to_mm", p.to_mm, "Its other end [z, y, x].");
  t("points", p.points, "So many points of the line, ends included, 2 to 1000.");
  t("low_mm", p.low_mm, "The mean over the fluid voxels whose centre lies in the box from low_mm to high_mm, [z, y, x].");
  t("high_mm", p.high_mm, "The box's high corner [z, y, x].");
  t("centre_mm", p.centre_mm, "The mean over the fluid voxels whose centre lies within radius_mm of this point [z, y, x].");
  t("radius_mm", p.radius_mm, "Radius of that ball in mm, > 0.");
  t("fields", p.fields,
    "What is told; left out: velocity (components z, y, x), speed, pressure, and temperature with flow.heat. The "
    "temperature "
    "alone is told in solid, too.",
    {"velocity", "speed", "pressure", "temperature"});
  t("every", p.every, "With [transient]: a record every so many steps; 0: as often as transient.output_every_s says.");
}

}  // namespace osteon::job
