#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <osteon/base/fault_list.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

bool names_a_part(const boundary_spec& b) { return b.low_mm || b.high_mm || b.centre_mm || b.radius_mm; }

// Check how a job uses its labels.
void check_labels(const spec& job, std::vector<problem>& problems) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const fault_list expect(problems);
  const bool has_image = job.segment.labels || f.label_image;
  std::vector<double> fluid = f.fluid_labels;
  if (fluid.empty()) fluid.assign(job.segment.void_labels.begin(), job.segment.void_labels.end());
  // A label of another image may also be in the fluid.
  const bool has_fluid_labels = job.segment.labels && !f.label_image && f.fluid == fluid_voxels::empty;
  const auto check = [&](double label, const std::string& where) {
    expect(
        has_image, where,
        "label {} requires a label image; set segment.labels = true if the image contains labels, or set flow.label_image",
        label);
    expect(label == std::floor(label) && std::abs(label) < 1e15, where, "{} is not a label; labels are integers", label);
    expect(!has_fluid_labels || std::find(fluid.begin(), fluid.end(), label) == fluid.end(), where,
           "{} is a label of the fluid; use a label of the solid, or change the fluid labels", label);
  };
  std::set<double> listed;
  for (const double label : f.force_labels) {
    check(label, "flow.force_labels");
    expect(listed.insert(label).second, "flow.force_labels", "{} is listed twice; remove one", label);
  }
  bool uses_labels = !f.force_labels.empty();
  for (std::size_t n = 0; n < job.groups.of<condition_keys>().boundaries.size(); ++n) {
    const auto& label = job.groups.of<condition_keys>().boundaries[n].label;
    if (label) check(static_cast<double>(*label), fmt::format("boundary[{}].label", n + 1));
    uses_labels = uses_labels || label;
  }
  expect(!f.label_image || uses_labels, "flow.label_image",
         "not used: neither flow.force_labels nor a [[boundary]] table contains a label; remove the key");
}

// A condition that connects the two faces of an axis.
void check_period(const boundary_spec& b, const std::string& at, std::vector<problem>& problems) {
  const fault_list expect(problems, at);
  if (expect(!b.face.empty(), "face", "missing; give the periodic axis: z, y or x"))
    expect(b.face.size() == 1, "face", "'{}' is a single face; kind = \"periodic\" requires an axis: face = \"{}\"", b.face,
           b.face.substr(0, 1));
  expect(!b.label && !names_a_part(b), "kind",
         "'periodic' applies to whole faces; remove the label or the part of the face");
  expect(!(b.pressure_drop_Pa && b.flow_rate_mm3_per_s), "flow_rate_mm3_per_s",
         "not allowed together with pressure_drop_Pa; remove one of the two keys");
  expect(!b.flow_rate_mm3_per_s || *b.flow_rate_mm3_per_s != 0, "flow_rate_mm3_per_s",
         "must not be 0: the pressure drop cannot be scaled; remove the key or set pressure_drop_Pa");
}

}  // namespace

bool conditions_drive(const spec& job) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  const auto moves = [](double value) { return value != 0; };
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries) {
    if (moves(b.velocity_mm_per_s.value_or(0)) || moves(b.flow_rate_mm3_per_s.value_or(0)) ||
        moves(b.pressure_drop_Pa.value_or(0)) ||
        (b.slide_mm_per_s && std::any_of(b.slide_mm_per_s->begin(), b.slide_mm_per_s->end(), moves)))
      return true;
    if (b.kind != condition_kind::pressure && b.kind != condition_kind::outlet) continue;
    lowest = std::min(lowest, b.pressure_Pa.value_or(0));
    highest = std::max(highest, b.pressure_Pa.value_or(0));
  }
  return highest > lowest;
}

void check_openings(const spec& job, std::vector<problem>& problems) {
  const fault_list expect(problems);
  const std::vector<boundary_spec>& boundaries = job.groups.of<condition_keys>().boundaries;
  std::map<std::string, std::size_t> owner;  // for each whole face: table of its condition
  double given = 0;
  const bool has_heat = job.groups.of<flow_keys>().heat;
  bool has_outlet = false;
  for (std::size_t n = 0; n < boundaries.size(); ++n) {
    const boundary_spec& b = boundaries[n];
    const std::string at = fmt::format("boundary[{}].", n + 1);
    if (!expect(!b.face.empty() || b.label || names_a_part(b), at + "face",
                "missing; give a face (z_low, z_high, y_low, ...) or an axis for both faces (z, y, x); for a condition "
                "inside the image, give a label, a box (low_mm, high_mm) or a ball (centre_mm, radius_mm)"))
      continue;
    if (!expect(b.kind.has_value(), at + "kind",
                "missing; must be velocity, flow_rate, pressure, outlet, slip, or wall for a sliding wall"))
      continue;
    const condition_kind kind = *b.kind;
    if (has_heat && is_thermal_condition(b)) continue;  // check_flow_heat checks this condition
    if (!expect(!is_thermal_condition(b), at + "kind",
                "'{}' requires physics = \"heat\" or flow.heat = true; use 'velocity', 'flow_rate', 'pressure', 'outlet', "
                "'slip', 'wall' or 'periodic'",
                b.kind.name()))
      continue;
    expect(has_heat || !b.temperature_K, at + "temperature_K",
           "requires flow.heat = true; set flow.heat or remove this key");
    expect(b.centre_mm.has_value() == b.radius_mm.has_value(), at + "radius_mm",
           "centre_mm and radius_mm must be given together");
    if (kind == condition_kind::periodic) {
      check_period(b, at, problems);
      if (b.face.empty()) continue;
    }
    if (b.slide_mm_per_s && b.slide_mm_per_s->size() == 3) {
      const std::size_t across = b.face.empty() || b.face[0] == 'z' ? 0 : b.face[0] == 'y' ? 1 : 2;
      expect(is_inside(b) || (*b.slide_mm_per_s)[across] == 0, at + "slide_mm_per_s",
             "{} mm/s along {}, normal to the face; a wall slides parallel to its face", (*b.slide_mm_per_s)[across],
             "zyx"[across]);
    }
    if (b.face.empty() && !names_a_part(b)) {
      const auto [entry, is_new] = owner.try_emplace(fmt::format("label {}", *b.label), n);
      expect(is_new, at + "label",
             "{} already has the condition of boundary[{}]; keep one, or select parts by face, box or ball", *b.label,
             entry->second + 1);
    }
    if (!b.face.empty() && !names_a_part(b))
      for (const char* end : {"_low", "_high"}) {
        const std::string face =
            (b.label ? fmt::format("label {}, ", *b.label) : "") + (b.face.size() == 1 ? b.face + end : b.face);
        const auto [entry, is_new] = owner.try_emplace(face, n);
        if (is_new || entry->second == n) continue;
        const bool has_period =
            kind == condition_kind::periodic || boundaries[entry->second].kind == condition_kind::periodic;
        expect(!has_period, at + "face",
               "{} has the conditions of boundary[{}] and boundary[{}], and one of them is periodic; remove one", face,
               entry->second + 1, n + 1);
        expect(has_period, at + "face",
               "{} already has the condition of boundary[{}]; keep one, or select parts of the face by low_mm and high_mm, "
               "or by centre_mm and radius_mm",
               face, entry->second + 1);
      }
    const double value = b.velocity_mm_per_s.value_or(b.flow_rate_mm3_per_s.value_or(0));
    if (kind == condition_kind::periodic) continue;
    if (kind == condition_kind::velocity || kind == condition_kind::flow_rate) given = std::max(given, value);
    has_outlet = has_outlet || kind == condition_kind::pressure || kind == condition_kind::outlet;
  }
  if (!expect(!boundaries.empty(), "boundary",
              "missing; load.test = \"flow\" requires openings, for example a face with kind = \"velocity\" and another "
              "with kind = \"outlet\""))
    return;
  bool lets_out = has_outlet;
  for (const boundary_spec& b : boundaries)
    if (b.kind != condition_kind::periodic)
      lets_out = lets_out || b.velocity_mm_per_s.value_or(0) < 0 || b.flow_rate_mm3_per_s.value_or(0) < 0;
  expect(given == 0 || lets_out, "boundary",
         "inflow without outflow of an incompressible fluid; set kind = \"outlet\" or \"pressure\" for a face");
  expect(conditions_drive(job) || job.groups.of<flow_keys>().expansion_per_K || !problems.empty(), "boundary",
         "no driving force: all pressures are equal, and no velocity, flow rate, pressure drop over a period or sliding "
         "wall is prescribed; for buoyancy, set flow.heat, flow.expansion_per_K and flow.gravity_m_per_s2");
  check_labels(job, problems);

  const flow_keys& f = job.groups.of<flow_keys>();
  for (const double m : f.multiples) expect(m != 0, "flow.multiples", "must not be 0");
  expect(f.inertia || f.convection == convection_scheme::blended, "flow.convection",
         "requires flow.inertia = true; set flow.inertia or remove this key");
}

}  // namespace osteon::physics
