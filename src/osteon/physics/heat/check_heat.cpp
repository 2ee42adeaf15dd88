#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <osteon/base/fault_list.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/physics/heat/check_heat.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

class heat_checker {
 public:
  heat_checker(const spec& job, std::vector<problem>& problems)
      : job_(job), keys_(job.groups.of<condition_keys>()), test_(test_of_heat(job)), expect(problems) {}

  void run() {
    expect(test_ != heat_test::conduction || keys_.transient || keys_.low_K != keys_.high_K, "load.high_K",
           "must differ from load.low_K; equal temperatures drive no heat flow");
    check_boundaries();
    check_materials();
    check_transient();
  }

 private:
  void check_boundaries() {
    std::map<std::string, std::size_t> owner;  // for each face: number of the table [[boundary]]
    for (std::size_t n = 0; n < keys_.boundaries.size(); ++n) {
      const boundary_spec& b = keys_.boundaries[n];
      const std::string at = fmt::format("boundary[{}].", n + 1);
      expect(!b.face.empty(), at + "face", "missing; use z_low, z_high, y_low, ..., or z, y or x for both faces of an axis");
      if (b.face.empty()) continue;
      const bool both = b.face.size() == 1;
      const condition_kind kind = kind_of(b);
      expect(is_thermal_condition(kind) || kind == condition_kind::periodic, at + "kind",
             "'{}' requires physics = \"flow\"; use 'temperature', 'flux', 'convection' or 'periodic'", name_of(kind));
      expect(b.kind.has_value() || (b.temperature_K && !b.flux_W_per_m2 && !b.transfer_W_per_m2K), at + "temperature_K",
             "must be the only quantity because kind is missing (default: \"temperature\"); set kind for other conditions");
      expect(kind != condition_kind::periodic || both, at + "face",
             "'{}' is a single face, but a periodic condition requires both faces of the axis; use face = \"{}\"", b.face,
             b.face.substr(0, 1));
      for (const char* end : {"_low", "_high"}) {
        const std::string face = both ? b.face + end : b.face;
        const auto [entry, is_new] = owner.try_emplace(face, n);
        expect(is_new || entry->second == n, at + "face",
               "{} already has a condition in boundary[{}]; specify one condition per face", face, entry->second + 1);
      }
    }
    if (test_ != heat_test::heat_transfer) return;
    const bool heated = std::any_of(job_.materials.begin(), job_.materials.end(),
                                    [](const material_spec& m) { return m.heat_source_W_per_m3 != 0; });
    expect(!keys_.boundaries.empty() || (heated && keys_.transient), "boundary",
           "missing; test = \"heat_transfer\" requires a [[boundary]] with face and kind");
  }

  void check_materials() {
    for (std::size_t n = 0; n < job_.materials.size(); ++n) {
      const material_spec& m = job_.materials[n];
      expect(!keys_.transient || m.heat_capacity_J_per_m3K, material_key(n) + "heat_capacity_J_per_m3K",
             "missing; [transient] requires the volumetric heat capacity in J/(m3 K)");
    }
  }

  void check_transient() {
    if (!keys_.transient) return;
    const transient_spec& t = *keys_.transient;
    expect(t.initial_K.has_value(), "transient.initial_K", "missing; specify the initial temperature in K");
    expect(t.end_s && *t.end_s > 0, "transient.end_s", "missing or not positive; specify the end time in s");
    expect(t.step_s && *t.step_s > 0, "transient.step_s", "missing or not positive; specify the time step size in s");
    if (t.end_s && t.step_s && *t.step_s > 0) {
      expect(*t.end_s >= *t.step_s, "transient.step_s", "{} s exceeds transient.end_s = {} s", *t.step_s, *t.end_s);
      expect(*t.end_s / *t.step_s <= 1e6, "transient.step_s",
             "{} s results in {:.3g} steps to {} s; the maximum is 1e6 steps", *t.step_s, *t.end_s / *t.step_s, *t.end_s);
    }
  }

  static std::string material_key(std::size_t n) { return fmt::format("material[{}].", n + 1); }

  const spec& job_;
  const condition_keys& keys_;
  heat_test test_;
  const fault_list expect;
};

}  // namespace

heat_test test_of_heat(const spec& job) {
  return value_named<heat_test>(job.load.test.value_or(""))
      .value_or(job.groups.of<condition_keys>().boundaries.empty() ? heat_test::conduction : heat_test::heat_transfer);
}

void register_heat_keys(key_table& job) {
  register_condition_keys(job);
  using enum heat_test;
  const std::string heat = "heat";
  job.accept({heat, names_of(heat_transfer)}, {"boundary", "load.gradient_K_per_mm", "material.heat_source_W_per_m3"});
  job.accept({heat, names_of(conductivity_tensor)}, {"load.boundary_condition"});
  job.accept({heat, names_of(conduction, heat_transfer)}, {"transient"});
  const auto all = names_of(conduction, heat_transfer, conductivity_tensor);
  job.accept({heat, all}, {"material.heat_capacity_J_per_m3K"});
  // These keys are ignored, as in earlier versions.
  job.accept({heat, all, "", false}, {"load.direction", "load.faces", "load.depth_mm", "load.area", "load.area_mm2",
                                      "load.bonded", "load.about_mm", "load.strain", "load.displacement_mm", "load.force_N",
                                      "load.angle_deg", "load.moment_N_mm", "load.gravity_m_per_s2"});
}

void check_heat(const spec& job, std::vector<problem>& problems) { heat_checker(job, problems).run(); }

void warn_of_kelvin(const std::optional<double>& kelvin, const std::string& where, std::vector<problem>& warnings) {
  const fault_list expect(warnings);
  expect(kelvin.value_or(0) >= 0, where, "{:g} K is below absolute zero; 0 degrees Celsius is 273.15 K", kelvin.value_or(0));
}

void warn_of_temperatures(const spec& job, const vector3* size_mm, std::vector<problem>& warnings) {
  if (size_mm) return;
  const condition_keys& keys = job.groups.of<condition_keys>();
  warn_of_kelvin(keys.low_K, "load.low_K", warnings);
  warn_of_kelvin(keys.high_K, "load.high_K", warnings);
  for (std::size_t n = 0; n < keys.boundaries.size(); ++n)
    warn_of_kelvin(keys.boundaries[n].temperature_K, fmt::format("boundary[{}].temperature_K", n + 1), warnings);
  if (keys.transient) warn_of_kelvin(keys.transient->initial_K, "transient.initial_K", warnings);
}

}  // namespace osteon::physics
