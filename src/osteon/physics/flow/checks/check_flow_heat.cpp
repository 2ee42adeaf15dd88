#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

class flow_heat_checker {
 public:
  flow_heat_checker(const spec& job, std::vector<problem>& problems)
      : job_(job), f_(job.groups.of<flow_keys>()), problems_(problems) {}

  void run() {
    if (!f_.heat) return refuse();
    expect(flow_test(job_) == "flow", "flow.heat",
           fmt::format("belongs to test = \"flow\", not to '{}'; remove it", flow_test(job_)));
    check_materials();
    std::map<std::string, std::size_t> owner;  // of the heat of each whole face
    for (std::size_t n = 0; n < job_.groups.of<condition_keys>().boundaries.size(); ++n)
      if (is_of_heat(job_.groups.of<condition_keys>().boundaries[n]))
        check_condition(n, owner);
      else
        check_opening(n);
    check_incoming_pressure();
  }

 private:
  void expect(bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems_.push_back({where, text});
  }
  static std::string key_of(const char* list, std::size_t n, const char* key) {
    return fmt::format("{}[{}].{}", list, n + 1, key);
  }

  void refuse() {
    const auto needs_heat = [&](bool given, const std::string& where) {
      expect(!given, where, "given, but flow.heat is not; set flow.heat = true, or remove it");
    };
    needs_heat(f_.conductivity_W_per_mK.has_value(), "flow.conductivity_W_per_mK");
    needs_heat(f_.heat_capacity_J_per_m3K.has_value(), "flow.heat_capacity_J_per_m3K");
    needs_heat(f_.heat_source_W_per_m3 != 0, "flow.heat_source_W_per_m3");
    needs_heat(f_.heat_convection != heat_differences::limited, "flow.heat_convection");
    for (std::size_t n = 0; n < job_.materials.size(); ++n)
      needs_heat(job_.materials[n].heat_source_W_per_m3 != 0, key_of("material", n, "heat_source_W_per_m3"));
  }

  void check_materials() {
    expect(!(job_.segment.labels && f_.fluid == fluid_voxels::solid && f_.fluid_labels.empty() && !job_.materials.empty()),
           "flow.fluid", "with labels and flow.heat, name the labels of the fluid by flow.fluid_labels");
    std::vector<double> fluid = f_.fluid_labels;
    if (fluid.empty()) fluid.assign(job_.segment.void_labels.begin(), job_.segment.void_labels.end());
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const material_spec& m = job_.materials[n];
      expect(m.conductivity_W_per_mK.has_value(), key_of("material", n, "conductivity_W_per_mK"),
             "missing: flow.heat needs it, in W/(m K); where the solid conducts nothing, leave out [[material]]");
      const bool is_fluid = job_.segment.labels && m.label &&
                            std::find(fluid.begin(), fluid.end(), static_cast<double>(*m.label)) != fluid.end();
      expect(!is_fluid, key_of("material", n, "label"),
             fmt::format("{} is a label of the fluid, whose properties are in [flow]; remove this material",
                         m.label.value_or(0)));
    }
  }

  void check_opening(std::size_t n) {
    const boundary_spec& b = job_.groups.of<condition_keys>().boundaries[n];
    const optional_choice<condition_kind>& kind = b.kind;
    const bool is_open = kind == condition_kind::velocity || kind == condition_kind::flow_rate ||
                         kind == condition_kind::pressure || kind == condition_kind::outlet;
    const std::string where = key_of("boundary", n, "temperature_K");
    expect(kind != condition_kind::periodic && !is_inside(b), key_of("boundary", n, "kind"),
           "flow.heat knows neither faces that are one nor conditions inside the image; remove this table, or flow.heat");
    expect(is_open || !b.temperature_K, where,
           fmt::format("does not go with kind = \"{}\"; give the heat of this wall by a table of its own with kind = "
                       "\"temperature\", \"flux\" or \"convection\"",
                       kind.name()));
    expect(std::isfinite(b.temperature_K.value_or(0)), where, "must be finite");
    const double given = b.velocity_mm_per_s.value_or(b.flow_rate_mm3_per_s.value_or(0));
    const auto& factors = f_.multiples;
    const bool lets_in =
        factors.empty() ? given > 0
                        : std::any_of(factors.begin(), factors.end(), [&](double factor) { return factor * given > 0; });
    expect(!lets_in || b.temperature_K, where, "missing: fluid flows in there, and flow.heat needs its temperature, in K");
  }

  // Where pressures alone drive, the fluid enters at the highest one.
  void check_incoming_pressure() {
    double highest = -std::numeric_limits<double>::infinity();
    for (const boundary_spec& b : job_.groups.of<condition_keys>().boundaries) {
      const optional_choice<condition_kind>& kind = b.kind;
      if (kind == condition_kind::velocity || kind == condition_kind::flow_rate) return;
      if (kind == condition_kind::pressure || kind == condition_kind::outlet)
        highest = std::max(highest, b.pressure_Pa.value_or(0));
    }
    if (!f_.multiples.empty() && std::all_of(f_.multiples.begin(), f_.multiples.end(), [](double m) { return m < 0; }))
      return;
    for (std::size_t n = 0; n < job_.groups.of<condition_keys>().boundaries.size(); ++n) {
      const boundary_spec& b = job_.groups.of<condition_keys>().boundaries[n];
      const optional_choice<condition_kind>& kind = b.kind;
      if ((kind == condition_kind::pressure || kind == condition_kind::outlet) && b.pressure_Pa.value_or(0) == highest)
        expect(b.temperature_K.has_value(), key_of("boundary", n, "temperature_K"),
               "missing: it has the highest pressure, so fluid flows in there, and flow.heat needs its temperature, in K");
    }
  }

  void check_condition(std::size_t n, std::map<std::string, std::size_t>& owner) {
    const boundary_spec& b = job_.groups.of<condition_keys>().boundaries[n];
    const optional_choice<condition_kind>& kind = b.kind;
    expect(!b.face.empty() && !b.label, key_of("boundary", n, "face"),
           "missing: heat has conditions on faces of the image only");
    if (b.face.empty()) return;
    const auto key = [&](const char* name, bool needed, const std::optional<double>& value) {
      expect(!needed || value.has_value(), key_of("boundary", n, name),
             fmt::format("missing: kind = \"{}\" needs it", kind.name()));
      expect(needed || !value, key_of("boundary", n, name),
             fmt::format("does not go with kind = \"{}\"; remove it", kind.name()));
      expect(std::isfinite(value.value_or(0)), key_of("boundary", n, name), "must be finite");
    };
    key("temperature_K", kind == condition_kind::temperature || kind == condition_kind::convection, b.temperature_K);
    key("flux_W_per_m2", kind == condition_kind::flux, b.flux_W_per_m2);
    key("transfer_W_per_m2K", kind == condition_kind::convection, b.transfer_W_per_m2K);
    expect(!b.velocity_mm_per_s && !b.flow_rate_mm3_per_s && !b.pressure_Pa && !b.profile && !b.slide_mm_per_s,
           key_of("boundary", n, "kind"),
           fmt::format("'{}' is a condition of heat, but has keys of a fluid; give these in a table of their own",
                       kind.name()));
    for (const auto& [name, value] :
         {std::pair{"low_mm", &b.low_mm}, std::pair{"high_mm", &b.high_mm}, std::pair{"centre_mm", &b.centre_mm}})
      expect(!*value || (*value)->size() == 3, key_of("boundary", n, name),
             fmt::format("{} values; give three, [z, y, x]", *value ? (*value)->size() : 0));
    expect(b.centre_mm.has_value() == b.radius_mm.has_value(), key_of("boundary", n, "radius_mm"),
           "centre_mm and radius_mm go together");
    if (b.low_mm || b.high_mm || b.centre_mm) return;
    for (const char* end : {"_low", "_high"}) {
      const std::string face = b.face.size() == 1 ? b.face + end : b.face;
      const auto [entry, is_new] = owner.try_emplace(face, n);
      expect(
          is_new || entry->second == n, key_of("boundary", n, "face"),
          fmt::format("the heat of {} already has the condition of boundary[{}]; give each face one, or name parts of it by "
                      "low_mm and high_mm, or centre_mm and radius_mm",
                      face, entry->second + 1));
    }
  }

  const spec& job_;
  const flow_keys f_;
  std::vector<problem>& problems_;
};

}  // namespace

void check_flow_heat(const spec& job, std::vector<problem>& problems) { flow_heat_checker(job, problems).run(); }

}  // namespace osteon::physics
