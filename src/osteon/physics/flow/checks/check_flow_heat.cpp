#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <osteon/base/fault_list.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

class flow_heat_checker {
 public:
  flow_heat_checker(const spec& job, std::vector<problem>& problems)
      : job_(job),
        f_(job.groups.of<flow_keys>()),
        boundaries_(job.groups.of<condition_keys>().boundaries),
        expect(problems) {}

  void run() {
    if (!f_.heat) return refuse();
    check_materials();
    std::map<std::string, std::size_t> owner;  // for each whole face: table of its heat condition
    for (std::size_t n = 0; n < boundaries_.size(); ++n)
      if (is_thermal_condition(boundaries_[n]))
        check_condition(n, owner);
      else
        check_opening(n);
    check_incoming_pressure();
  }

 private:
  static std::string key_of(const char* list, std::size_t n, const char* key) {
    return fmt::format("{}[{}].{}", list, n + 1, key);
  }

  void refuse() {
    for (std::size_t n = 0; n < job_.materials.size(); ++n)
      expect(job_.materials[n].heat_source_W_per_m3 == 0, key_of("material", n, "heat_source_W_per_m3"),
             "requires flow.heat = true; set flow.heat or remove this key");
  }

  void check_materials() {
    expect(!(job_.segment.labels && f_.fluid == fluid_voxels::solid && f_.fluid_labels.empty() && !job_.materials.empty()),
           "flow.fluid",
           "not available with segment.labels, flow.heat and [[material]]; list the fluid labels in flow.fluid_labels");
    std::vector<double> fluid = f_.fluid_labels;
    if (fluid.empty()) fluid.assign(job_.segment.void_labels.begin(), job_.segment.void_labels.end());
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const material_spec& m = job_.materials[n];
      expect(m.conductivity_W_per_mK.has_value(), key_of("material", n, "conductivity_W_per_mK"),
             "missing; flow.heat requires the conductivity in W/(m K); for an insulating solid, remove [[material]]");
      const bool is_fluid = job_.segment.labels && m.label &&
                            std::find(fluid.begin(), fluid.end(), static_cast<double>(*m.label)) != fluid.end();
      expect(!is_fluid, key_of("material", n, "label"),
             "{} is a label of the fluid; [flow] defines the fluid properties; remove this material", m.label.value_or(0));
    }
  }

  void check_opening(std::size_t n) {
    const boundary_spec& b = boundaries_[n];
    const optional_choice<condition_kind>& kind = b.kind;
    expect(
        kind != condition_kind::periodic && !is_inside(b), key_of("boundary", n, "kind"),
        "periodic faces and conditions inside the image are not available with flow.heat; remove this table or flow.heat");
    const double given = b.velocity_mm_per_s.value_or(b.flow_rate_mm3_per_s.value_or(0));
    const auto& factors = f_.multiples;
    const bool lets_in =
        factors.empty() ? given > 0
                        : std::any_of(factors.begin(), factors.end(), [&](double factor) { return factor * given > 0; });
    expect(!lets_in || b.temperature_K, key_of("boundary", n, "temperature_K"),
           "missing; flow.heat requires the inflow temperature in K");
  }

  // If only pressures drive the flow, the fluid enters at the highest pressure.
  void check_incoming_pressure() {
    double highest = -std::numeric_limits<double>::infinity();
    for (const boundary_spec& b : boundaries_) {
      const optional_choice<condition_kind>& kind = b.kind;
      if (kind == condition_kind::velocity || kind == condition_kind::flow_rate) return;
      if (kind == condition_kind::pressure || kind == condition_kind::outlet)
        highest = std::max(highest, b.pressure_Pa.value_or(0));
    }
    if (!f_.multiples.empty() && std::all_of(f_.multiples.begin(), f_.multiples.end(), [](double m) { return m < 0; }))
      return;
    for (std::size_t n = 0; n < boundaries_.size(); ++n) {
      const boundary_spec& b = boundaries_[n];
      const optional_choice<condition_kind>& kind = b.kind;
      if ((kind == condition_kind::pressure || kind == condition_kind::outlet) && b.pressure_Pa.value_or(0) == highest)
        expect(b.temperature_K.has_value(), key_of("boundary", n, "temperature_K"),
               "missing; fluid enters at the highest pressure, and flow.heat requires the inflow temperature in K");
    }
  }

  void check_condition(std::size_t n, std::map<std::string, std::size_t>& owner) {
    const boundary_spec& b = boundaries_[n];
    expect(!b.face.empty() && !b.label, key_of("boundary", n, "face"),
           "required, without the key label: thermal conditions apply to faces of the image only");
    if (b.face.empty()) return;
    expect(b.centre_mm.has_value() == b.radius_mm.has_value(), key_of("boundary", n, "radius_mm"),
           "centre_mm and radius_mm must be given together");
    if (b.low_mm || b.high_mm || b.centre_mm) return;
    for (const char* end : {"_low", "_high"}) {
      const std::string face = b.face.size() == 1 ? b.face + end : b.face;
      const auto [entry, is_new] = owner.try_emplace(face, n);
      expect(is_new || entry->second == n, key_of("boundary", n, "face"),
             "{} already has the thermal condition of boundary[{}]; keep one, or select parts of the face by low_mm and "
             "high_mm, or by centre_mm and radius_mm",
             face, entry->second + 1);
    }
  }

  const spec& job_;
  const flow_keys& f_;
  const std::vector<boundary_spec>& boundaries_;
  const fault_list expect;
};

}  // namespace

void check_flow_heat(const spec& job, std::vector<problem>& problems) { flow_heat_checker(job, problems).run(); }

}  // namespace osteon::physics
