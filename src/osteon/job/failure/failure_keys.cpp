#include <osteon/job/failure/failure_keys.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/job/elasticity/check_loads.hpp>

namespace osteon::job {

namespace {

// Perfect plasticity leaves the tangent without stiffness along the flow: this part of Young's modulus is put in its place.
constexpr double least_hardening = 1e-4;

}  // namespace

void describe_failure(key_visitor& v, spec& job) {
  failure_keys& f = own_keys<failure_keys>(job, "failure");
  v("law", &f.law,
    "When a point yields: von_mises, at one stress in all directions; cone, at two strengths in uniaxial tension and "
    "compression (Drucker and Prager), with associated flow.",
    {"von_mises", "cone"});
  v("yield_stress_MPa", &f.yield_stress_MPa, "Of von_mises: yield stress of a uniaxial test in MPa, > 0.");
  v("yield_strain", &f.yield_strain,
    "Of von_mises, instead of yield_stress_MPa: elastic strain of a uniaxial test at yield; the yield stress is that times "
    "Young's modulus, also where moduli are graded.");
  v("tensile_strength_MPa", &f.tensile_strength_MPa, "Of cone: yield stress in uniaxial tension in MPa, > 0.");
  v("compressive_strength_MPa", &f.compressive_strength_MPa, "Of cone: yield stress in uniaxial compression in MPa, > 0.");
  v("tensile_yield_strain", &f.tensile_yield_strain,
    "Of cone, instead of tensile_strength_MPa: that stress over Young's modulus.");
  v("compressive_yield_strain", &f.compressive_yield_strain,
    "Of cone, instead of compressive_strength_MPa: that stress over Young's modulus.");
  v("hardening_MPa", &f.hardening_MPa,
    "Slope of the uniaxial stress over the plastic strain in MPa, >= 0, of cone in compression. Left out or less than 1e-4 "
    "of "
    "Young's modulus: 1e-4 of it, which is told.");
  v("hardening_ratio", &f.hardening_ratio, "The same over Young's modulus, instead of hardening_MPa.");
  v("integration", &f.integration,
    "full: eight Gauss points, as Abaqus' and CalculiX' C3D8, and FAIM; locks where plastic flow keeps the volume. bbar: "
    "the "
    "volume changes by the mean of the voxel, which does not lock.",
    {"full", "bbar"});
  v("steps", &f.steps,
    "Equal steps on the way to the load, or to each place of path, > 0; the first yield is one more. Left out: as long as "
    "they "
    "converge well.");
  v("path", &f.path,
    "Multiples of the load that the driven face goes to, one after the other, from 0: [1, 0] loads and unloads. Left out: "
    "[1].");
  v("halvings", &f.halvings, "How often a step that does not converge is halved before the job ends there, >= 0.");
  v("materials", &f.materials,
    "Numbers of the [[material]]s that yield, from 1 in their order; the others stay elastic. Left out: all yield.");
}

void check_failure_keys(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  for (problem& p : check_loads(job)) problems.push_back(std::move(p));
  const failure_keys f = failure_keys_of(job);
  const std::string test = test_of(job.load, job.supports);
  expect(job.cases.empty() && job.forces.empty() && test != "custom" && test != "homogenise", "load.test",
         fmt::format(
             "'{}' does not go with physics = \"failure\": one face is driven, by axial_bonded, uniaxial, confined, shear, "
             "pure_shear, bending or torsion, without [[force]] and [[case]]",
             job.cases.empty() ? test : "case"));
  expect(
      !job.load.force_N && !job.load.moment_N_mm, job.load.force_N ? "load.force_N" : "load.moment_N_mm",
      "does not go with physics = \"failure\", where the force has a limit: give strain, displacement_mm or angle_deg; the "
      "curve tells where the force is reached");
  expect(!job.load.gravity_m_per_s2, "load.gravity_m_per_s2", "does not go with physics = \"failure\"; remove it");
  expect(!job.output_fields, "output.fields",
         "physics = \"failure\" writes displacement, plastic_strain and dissipation; remove it");
  expect(!job.picture.field, "picture.field", "physics = \"failure\" shows the plastic strain; remove it");

  expect(f.law.has_value(), "failure.law", "missing: when a voxel yields; law = \"von_mises\" or \"cone\"");
  const bool is_cone = f.law == "cone";
  const auto one_of = [&](const std::optional<double>& stress, const char* stress_key, const std::optional<double>& strain,
                          const char* strain_key, bool is_wanted) {
    const std::string where = std::string("failure.") + stress_key;
    expect(!is_wanted || stress || strain, where,
           fmt::format("missing: law = \"{}\" needs a strength; give {} or {}", f.law.value_or(""), stress_key, strain_key));
    expect(!stress || !strain, where, fmt::format("given together with {}; keep one of the two", strain_key));
    expect(is_wanted || !f.law || (!stress && !strain), stress ? where : std::string("failure.") + strain_key,
           fmt::format("does not go with law = \"{}\"; remove it", f.law.value_or("")));
    expect(!stress || (*stress > 0 && std::isfinite(*stress)), where, fmt::format("{} must be > 0 MPa", stress.value_or(0)));
    expect(!strain || (*strain > 0 && *strain < 1), std::string("failure.") + strain_key,
           fmt::format("{} must be in (0, 1), e.g. 0.008", strain.value_or(0)));
  };
  one_of(f.yield_stress_MPa, "yield_stress_MPa", f.yield_strain, "yield_strain", f.law && !is_cone);
  one_of(f.tensile_strength_MPa, "tensile_strength_MPa", f.tensile_yield_strain, "tensile_yield_strain", is_cone);
  one_of(f.compressive_strength_MPa, "compressive_strength_MPa", f.compressive_yield_strain, "compressive_yield_strain",
         is_cone);
  expect(!f.hardening_MPa || !f.hardening_ratio, "failure.hardening_MPa", "given together with hardening_ratio; keep one");
  for (const auto& [key, value] : {std::pair{"hardening_MPa", f.hardening_MPa}, {"hardening_ratio", f.hardening_ratio}})
    expect(value.value_or(0) >= 0 && std::isfinite(value.value_or(0)), fmt::format("failure.{}", key),
           fmt::format("{} softens: the answer would depend on the voxel size alone; it must be >= 0", value.value_or(0)));
  expect(!f.steps || (*f.steps > 0 && *f.steps <= 100000), "failure.steps",
         fmt::format("{} must be in [1, 100000]", f.steps.value_or(0)));
  expect(f.halvings >= 0 && f.halvings <= 30, "failure.halvings", fmt::format("{} must be in [0, 30]", f.halvings));
  double at = 0;
  for (const double turn : f.path) {
    expect(std::isfinite(turn) && turn != at, "failure.path",
           fmt::format("it goes from {} to {}; each number is another multiple of the load", at, turn));
    at = turn;
  }
  const auto count = job.materials.empty() ? std::size_t{1} : job.materials.size();
  for (const double number : f.materials)
    expect(number >= 1 && number <= static_cast<double>(count) && number == std::floor(number) && !job.materials.empty(),
           "failure.materials", fmt::format("{}: there are [[material]]s 1 to {}", number, job.materials.size()));
}

strengths strengths_of(const failure_keys& f, const voxel::material& m, std::size_t number) {
  if (!f.materials.empty() &&
      std::find(f.materials.begin(), f.materials.end(), static_cast<double>(number)) == f.materials.end())
    return {};
  const double modulus = m.youngs_modulus_MPa;
  const auto of = [&](const std::optional<double>& stress, const std::optional<double>& strain) {
    return stress ? *stress : strain.value_or(0) * modulus;
  };
  strengths s;
  if (f.law == "cone") {
    s.tension_MPa = of(f.tensile_strength_MPa, f.tensile_yield_strain);
    s.compression_MPa = of(f.compressive_strength_MPa, f.compressive_yield_strain);
  } else {
    s.tension_MPa = s.compression_MPa = of(f.yield_stress_MPa, f.yield_strain);
  }
  s.hardening_MPa = f.hardening_MPa ? *f.hardening_MPa : f.hardening_ratio.value_or(0) * modulus;
  s.is_floor = s.hardening_MPa < least_hardening * modulus;
  if (s.is_floor) s.hardening_MPa = least_hardening * modulus;
  return s;
}

}  // namespace osteon::job
