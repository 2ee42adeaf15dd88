#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

class heat_checker {
 public:
  heat_checker(const spec& job, std::vector<problem>& problems) : job_(job), problems_(problems), test_(heat_test(job)) {}

  void run() {
    expect(test_ == "conduction" || test_ == "heat_transfer" || test_ == "conductivity_tensor", "load.test",
           fmt::format("'{}' does not go with physics = \"heat\"; use 'conduction', 'heat_transfer' or "
                       "'conductivity_tensor'",
                       test_));
    expect(test_ != "conduction" || job_.groups.of<condition_keys>().transient || job_.load.low_K != job_.load.high_K,
           "load.high_K", "equals low_K: no heat would flow");
    expect(test_ == "heat_transfer" || job_.groups.of<condition_keys>().boundaries.empty(), "boundary",
           fmt::format("belongs to test = \"heat_transfer\", not to '{}'; remove one of the two", test_));
    check_gradient();
    check_boundaries();
    check_materials();
    check_transient();
    check_output();
  }

  void refuse() {
    const auto belongs_here = [&](bool given, const std::string& where) {
      expect(!given, where, "belongs to physics = \"heat\"; remove it or change the physics");
    };
    if (!physics_of(job_).takes_boundaries)
      expect(job_.groups.of<condition_keys>().boundaries.empty(), "boundary",
             "belongs to physics = \"heat\" or \"flow\"; remove it or change the physics");
    if (!physics_of(job_).takes_time_steps)
      expect(!job_.groups.of<condition_keys>().transient, "transient",
             "belongs to physics = \"heat\" or \"flow\"; remove it or change the physics");
    belongs_here(job_.load.gradient_K_per_mm.has_value(), "load.gradient_K_per_mm");
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const bool may_store = physics_of(job_).takes_time_steps && physics_of(job_).takes_heat_sources;
      belongs_here(job_.materials[n].heat_capacity_J_per_m3K && !may_store, material_key(n) + "heat_capacity_J_per_m3K");
      belongs_here(job_.materials[n].heat_source_W_per_m3 != 0 && !physics_of(job_).takes_heat_sources,
                   material_key(n) + "heat_source_W_per_m3");
    }
  }

 private:
  void expect(bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems_.push_back({where, text});
  }

  void check_output() {
    expect(!job_.output_fields, "output.fields",
           "given, but physics = \"heat\" always writes temperature and heat_flux; remove it");
    expect(!job_.picture.field, "picture.field", "given, but physics = \"heat\" shows the heat flux; remove it");
  }

  static bool has_flow_keys(const boundary_spec& b) {
    return b.label || b.velocity_mm_per_s || b.flow_rate_mm3_per_s || b.pressure_Pa || b.pressure_drop_Pa || b.profile ||
           b.slide_mm_per_s || b.low_mm || b.high_mm || b.centre_mm || b.radius_mm;
  }

  void check_gradient() {
    if (!job_.load.gradient_K_per_mm) return;
    expect(test_ == "heat_transfer", "load.gradient_K_per_mm",
           fmt::format("belongs to test = \"heat_transfer\", not to '{}'; remove it", test_));
    expect(job_.load.gradient_K_per_mm->size() == 3, "load.gradient_K_per_mm",
           fmt::format("{} values; give three, [z, y, x]", job_.load.gradient_K_per_mm->size()));
  }

  void check_boundaries() {
    std::map<std::string, std::size_t> owner;  // of each face, the table that speaks of it
    for (std::size_t n = 0; n < job_.groups.of<condition_keys>().boundaries.size(); ++n) {
      const boundary_spec& b = job_.groups.of<condition_keys>().boundaries[n];
      const std::string at = fmt::format("boundary[{}].", n + 1);
      expect(!b.face.empty(), at + "face", "missing: z_low, z_high, y_low, ... or z, y, x for both faces of an axis");
      if (b.face.empty()) continue;
      const bool both = b.face.size() == 1;
      const condition_kind kind = kind_of(b);
      const bool is_heats = kind == condition_kind::temperature || kind == condition_kind::flux ||
                            kind == condition_kind::convection || kind == condition_kind::periodic;
      expect(is_heats, at + "kind",
             fmt::format("'{}' belongs to physics = \"flow\"; use 'temperature', 'flux', 'convection' or 'periodic'",
                         name_of(kind)));
      expect(!has_flow_keys(b), at + "kind",
             "with keys of a fluid (label, velocity, flow_rate, pressure, profile, slide, or a part of the face), which "
             "belong to "
             "physics = \"flow\"; remove them");
      expect(kind != condition_kind::periodic || both, at + "face",
             fmt::format("'{}' is one face, but periodic joins two; write face = \"{}\"", b.face, b.face.substr(0, 1)));
      for (const char* end : {"_low", "_high"}) {
        const std::string face = both ? b.face + end : b.face;
        const auto [entry, is_new] = owner.try_emplace(face, n);
        expect(is_new || entry->second == n, at + "face",
               fmt::format("{} already has the condition of boundary[{}]; give each face one", face, entry->second + 1));
      }
      const auto key = [&](const char* name, bool needed, const std::optional<double>& value) {
        expect(!needed || value.has_value(), at + name, fmt::format("missing: kind = \"{}\" needs it", name_of(kind)));
        expect(needed || !value, at + name, fmt::format("does not go with kind = \"{}\"; remove it", name_of(kind)));
      };
      if (!is_heats) continue;
      key("temperature_K", kind == condition_kind::temperature || kind == condition_kind::convection, b.temperature_K);
      key("flux_W_per_m2", kind == condition_kind::flux, b.flux_W_per_m2);
      key("transfer_W_per_m2K", kind == condition_kind::convection, b.transfer_W_per_m2K);
    }
    if (test_ != "heat_transfer") return;
    const bool heated = std::any_of(job_.materials.begin(), job_.materials.end(),
                                    [](const material_spec& m) { return m.heat_source_W_per_m3 != 0; });
    expect(!job_.groups.of<condition_keys>().boundaries.empty() || (heated && job_.groups.of<condition_keys>().transient),
           "boundary", "missing: test = \"heat_transfer\" needs a [[boundary]] with a face and a kind");
  }

  void check_materials() {
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const material_spec& m = job_.materials[n];
      expect(m.heat_source_W_per_m3 == 0 || test_ == "heat_transfer", material_key(n) + "heat_source_W_per_m3",
             fmt::format("belongs to test = \"heat_transfer\", not to '{}'; remove it or change the test", test_));
      expect(!job_.groups.of<condition_keys>().transient || m.heat_capacity_J_per_m3K,
             material_key(n) + "heat_capacity_J_per_m3K", "missing: [transient] needs it, in J/(m3 K)");
    }
  }

  void check_transient() {
    if (!job_.groups.of<condition_keys>().transient) return;
    const transient_spec& t = *job_.groups.of<condition_keys>().transient;
    expect(test_ != "conductivity_tensor", "transient",
           "does not go with test = \"conductivity_tensor\"; remove one of the two");
    expect(t.initial_K.has_value(), "transient.initial_K", "missing: the temperature at the start, in K");
    expect(t.end_s && *t.end_s > 0, "transient.end_s", "missing or not > 0: the time at the end, in s");
    expect(t.step_s && *t.step_s > 0, "transient.step_s", "missing or not > 0: the step, in s");
    if (t.end_s && t.step_s && *t.step_s > 0) {
      expect(*t.end_s >= *t.step_s, "transient.step_s", fmt::format("{} s is longer than end_s = {}", *t.step_s, *t.end_s));
      expect(*t.end_s / *t.step_s <= 1e6, "transient.step_s",
             fmt::format("{} s makes {:.3g} steps to {} s; at most 1e6", *t.step_s, *t.end_s / *t.step_s, *t.end_s));
    }
  }

  static std::string material_key(std::size_t n) { return fmt::format("material[{}].", n + 1); }

  const spec& job_;
  std::vector<problem>& problems_;
  std::string test_;
};

}  // namespace

std::string heat_test(const spec& job) {
  return job.load.test                                        ? *job.load.test
         : job.groups.of<condition_keys>().boundaries.empty() ? "conduction"
                                                              : "heat_transfer";
}

void check_heat(const spec& job, std::vector<problem>& problems) { heat_checker(job, problems).run(); }

void refuse_heat(const spec& job, std::vector<problem>& problems) { heat_checker(job, problems).refuse(); }

void warn_of_temperatures(const spec& job, const vector3* size_mm, std::vector<problem>& warnings) {
  if (size_mm) return;
  const auto kelvin = [&](const std::optional<double>& value, const std::string& where) {
    if (value.value_or(0) < 0)
      warnings.push_back(
          {where, fmt::format("{:g} K lies below absolute zero; 0 degrees Celsius are 273.15 K", value.value_or(0))});
  };
  kelvin(job.load.low_K, "load.low_K");
  kelvin(job.load.high_K, "load.high_K");
  kelvin(job.load.reference_K, "load.reference_K");
  for (std::size_t n = 0; n < job.groups.of<condition_keys>().boundaries.size(); ++n)
    kelvin(job.groups.of<condition_keys>().boundaries[n].temperature_K, fmt::format("boundary[{}].temperature_K", n + 1));
  if (job.groups.of<condition_keys>().transient)
    kelvin(job.groups.of<condition_keys>().transient->initial_K, "transient.initial_K");
}

}  // namespace osteon::physics
