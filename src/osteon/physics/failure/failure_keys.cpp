#include <osteon/physics/failure/failure_keys.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <osteon/base/fault_list.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/kernel/elasticity/yield_surface.hpp>
#include <osteon/physics/elasticity/loads/check_loads.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Smallest ratio of the hardening modulus to Young's modulus. With perfect plasticity, the tangent stiffness would be
// singular.
constexpr double least_hardening = 1e-4;

}  // namespace

void register_failure_keys(key_table& job) {
  register_load_keys(job);
  accept_drive_keys(job, "failure", {"load."});
  job.accept({"failure", driving_tests()}, {"load.faces", "load.depth_mm", "density_law", "modulus_image", "failure.law"});
  const auto two_strengths = only(yield_law::cone, yield_law::quadric, yield_law::secant_damage);
  auto t = job.table("failure", "Yield law and loading path (docs/reference/failure.md).").keys_in_group<failure_keys>();
  t("law", &failure_keys::law,
    "Yield or damage law. von_mises: von Mises plasticity. cone: Drucker-Prager plasticity with tensile and compressive "
    "strength. quadric: smooth yield surface with tensile and compressive strength. secant_damage: loss of stiffness of "
    "voxels with a stress beyond the cone at their centre, optionally with fracture. The plastic flow rule is associated.");
  t("yield_stress_MPa", &failure_keys::yield_stress_MPa, "von_mises: uniaxial yield stress in MPa, > 0.",
    {.range = positive("MPa"), .kinds = {only(yield_law::von_mises)}});
  t("yield_strain", &failure_keys::yield_strain,
    "von_mises, instead of yield_stress_MPa: uniaxial yield strain; the yield stress of a voxel is the yield strain times "
    "Young's modulus of the voxel.",
    {.range = between(0, 1, "", ", for example 0.008"), .kinds = {only(yield_law::von_mises)}});
  t("yield_stress_by_density", &failure_keys::yield_stress_by_density,
    "von_mises, instead of yield_stress_MPa: coefficients [c, k] of the yield stress c rho^k in MPa, with the density rho "
    "of a [density_law] with law = \"power\".",
    {.kinds = {only(yield_law::von_mises)}});
  t("tensile_strength_MPa", &failure_keys::tensile_strength_MPa,
    "cone, quadric, secant_damage: uniaxial tensile strength in MPa, > 0.",
    {.range = positive("MPa"), .kinds = {two_strengths}});
  t("compressive_strength_MPa", &failure_keys::compressive_strength_MPa,
    "cone, quadric, secant_damage: uniaxial compressive strength in MPa, > 0.",
    {.range = positive("MPa"), .kinds = {two_strengths}});
  t("tensile_yield_strain", &failure_keys::tensile_yield_strain,
    "cone, quadric, secant_damage: ratio of tensile strength to Young's modulus, instead of tensile_strength_MPa.",
    {.range = between(0, 1, "", ", for example 0.008"), .kinds = {two_strengths}});
  t("compressive_yield_strain", &failure_keys::compressive_yield_strain,
    "cone, quadric, secant_damage: ratio of compressive strength to Young's modulus, instead of compressive_strength_MPa.",
    {.range = between(0, 1, "", ", for example 0.008"), .kinds = {two_strengths}});
  t("tensile_strength_by_density", &failure_keys::tensile_strength_by_density,
    "cone, quadric, secant_damage: coefficients [c, k] of the tensile strength c rho^k in MPa (rho as for "
    "yield_stress_by_density), instead of tensile_strength_MPa.",
    {.kinds = {two_strengths}});
  t("compressive_strength_by_density", &failure_keys::compressive_strength_by_density,
    "cone, quadric, secant_damage: coefficients [c, k] of the compressive strength c rho^k in MPa (rho as for "
    "yield_stress_by_density), instead of compressive_strength_MPa.",
    {.kinds = {two_strengths}});
  t("interaction", &failure_keys::interaction,
    "quadric: interaction parameter zeta_0 of Schwiedrzik, in (-1, 0.5). Values near 0.5 approach the cone; smaller values "
    "reduce the strength under hydrostatic pressure.",
    {.range = between(-1, kernel::interaction_of_cone, "", "; 0.5 corresponds to law = \"cone\""),
     .kinds = {only(yield_law::quadric).needed()}});
  t("hardening_MPa", &failure_keys::hardening_MPa,
    "Hardening modulus: slope of uniaxial stress over plastic strain (cone, quadric: in compression) in MPa, >= 0; values "
    "below 1e-4 times Young's modulus (also the default) are raised to this limit with a note. secant_damage: slope of "
    "stress over strain beyond the strength, less than Young's modulus; may be 0.");
  t("hardening_ratio", &failure_keys::hardening_ratio,
    "Ratio of hardening modulus to Young's modulus, instead of hardening_MPa.");
  t("fracture_ratio", &failure_keys::fracture_ratio,
    "secant_damage: ratio of fracture strain to strain at the strength, > 1, for voxels of the size fracture_length_mm. The "
    "part beyond 1 is inversely proportional to the voxel size, so that the energy of a crack is mesh-independent. Default: "
    "no fracture.",
    {.range = {.low = 1, .is_above = true, .remark = ": voxels break beyond their strength"},
     .kinds = {only(yield_law::secant_damage)}});
  t("fracture_length_mm", &failure_keys::fracture_length_mm, "Voxel size to which fracture_ratio refers in mm, > 0.",
    {.range = positive("mm"), .kinds = {only(yield_law::secant_damage)}});
  t("integration", &failure_keys::integration,
    "Element integration. full: eight Gauss points, as C3D8 of Abaqus and CalculiX, and FAIM; locks for isochoric plastic "
    "flow. bbar: mean volumetric strain per voxel, without locking.");
  t("steps", &failure_keys::steps,
    "Number of equal load steps, or of steps to each point of path, > 0, in addition to the step to first yield. Default: "
    "adaptive.",
    {.range = from_to(1, 100000)});
  t("path", &failure_keys::path,
    "Loading path: successive multiples of the load, starting from 0; [1, 0] loads and unloads. Multiples of load.force_N "
    "or load.moment_N_mm if given. Default: [1].");
  t("halvings", &failure_keys::halvings,
    "Maximum number of halvings of a step that does not converge, >= 0. The job ends if the smallest step does not "
    "converge.",
    {.range = from_to(0, 30)});
  t("materials", &failure_keys::materials,
    "Numbers of the [[material]] tables that yield, counted from 1 in the order of the file; other materials remain "
    "elastic. Default: all.");
  t("prove", &failure_keys::prove,
    "Repeat the path with halved steps and report the change of the loads; triples the run time.");
}

void check_failure_keys(const spec& job, std::vector<problem>& problems) {
  check_loads(job, problems);
  const fault_list expect(problems);
  const failure_keys& f = job.groups.of<failure_keys>();
  const drive_spec& drive = job.groups.of<mechanical_keys>().drive;
  expect(f.law.has_value(), "failure.law", "missing; use law = \"von_mises\", \"cone\", \"quadric\" or \"secant_damage\"");
  const bool is_damage = f.law == yield_law::secant_damage,
             has_two = is_damage || f.law == yield_law::cone || f.law == yield_law::quadric,
             by_power = job.density_law && job.density_law->law == modulus_law::power;
  const auto one_of = [&](const std::optional<double>& stress, const char* stress_key, const std::optional<double>& strain,
                          const char* strain_key, const std::vector<double>& by_density, const char* density_key,
                          bool is_wanted) {
    const std::string where = std::string("failure.") + stress_key, by_law = std::string("failure.") + density_key;
    expect(!is_wanted || stress || strain || !by_density.empty(), where,
           "missing; law = \"{}\" requires a strength: specify {}, {} or {}", f.law.name(), stress_key, strain_key,
           density_key);
    expect(!stress || !strain, where, "conflicts with {}; remove one of the two", strain_key);
    expect(by_density.empty() || (!stress && !strain), by_law, "conflicts with {}; remove one of the two",
           stress ? stress_key : strain_key);
    expect(by_density.empty() || (by_density.size() == 2 && by_density[0] > 0), by_law,
           "must be two numbers: positive coefficient in MPa and exponent of the density, for example [57.4, 1.39]");
    expect(by_density.empty() || by_power, by_law, "requires a [density_law] with law = \"power\"");
  };
  one_of(f.yield_stress_MPa, "yield_stress_MPa", f.yield_strain, "yield_strain", f.yield_stress_by_density,
         "yield_stress_by_density", f.law.has_value() && !has_two);
  one_of(f.tensile_strength_MPa, "tensile_strength_MPa", f.tensile_yield_strain, "tensile_yield_strain",
         f.tensile_strength_by_density, "tensile_strength_by_density", has_two);
  one_of(f.compressive_strength_MPa, "compressive_strength_MPa", f.compressive_yield_strain, "compressive_yield_strain",
         f.compressive_strength_by_density, "compressive_strength_by_density", has_two);
  expect(!f.fracture_ratio || f.fracture_length_mm, "failure.fracture_length_mm",
         "missing; fracture_ratio requires the voxel size to which it refers");
  expect(!f.fracture_length_mm || f.fracture_ratio, "failure.fracture_ratio", "missing; required by fracture_length_mm");
  expect(!is_damage || f.hardening_ratio.value_or(0) < 1, "failure.hardening_ratio",
         "{} must be less than 1: damage does not increase the stiffness", f.hardening_ratio.value_or(0));
  expect(!is_damage || (!drive.force_N && !drive.moment_N_mm), drive.force_N ? "load.force_N" : "load.moment_N_mm",
         "not available for law = \"secant_damage\", because the load may decrease; specify strain, displacement_mm or "
         "angle_deg");
  expect(!f.hardening_MPa || !f.hardening_ratio, "failure.hardening_MPa",
         "conflicts with hardening_ratio; remove one of the two");
  for (const auto& [key, value] : {std::pair{"hardening_MPa", f.hardening_MPa}, {"hardening_ratio", f.hardening_ratio}})
    expect(value.value_or(0) >= 0, fmt::format("failure.{}", key),
           "{} must not be negative: results with softening depend on the voxel size", value.value_or(0));
  double at = 0;
  for (const double turn : f.path) {
    expect(turn != at, "failure.path", "contains {} followed by {}; successive numbers must differ", at, turn);
    at = turn;
  }
  const auto count = job.materials.empty() ? std::size_t{1} : job.materials.size();
  for (const double number : f.materials)
    expect(number >= 1 && number <= static_cast<double>(count) && number == std::floor(number) && !job.materials.empty(),
           "failure.materials", "{}: must be a [[material]] number from 1 to {}", number, job.materials.size());
}

strengths strengths_of(const spec& job, const voxel::material& m, std::size_t number) {
  const failure_keys& f = job.groups.of<failure_keys>();
  if (!f.materials.empty() &&
      std::find(f.materials.begin(), f.materials.end(), static_cast<double>(number)) == f.materials.end())
    return {};
  const double modulus = m.youngs_modulus_MPa;
  const auto of = [&](const std::optional<double>& stress, const std::optional<double>& strain,
                      const std::vector<double>& by_density) {
    if (by_density.empty()) return stress ? *stress : strain.value_or(0) * modulus;
    // The inverse of the density law preserves the clipping and the classes of the law.
    const density_law_spec& law = *job.density_law;
    return by_density[0] * std::pow(modulus / *law.coefficient_MPa, by_density[1] / law.exponent);
  };
  strengths s;
  if (f.law == yield_law::von_mises) {
    s.tension_MPa = s.compression_MPa = of(f.yield_stress_MPa, f.yield_strain, f.yield_stress_by_density);
  } else {
    s.tension_MPa = of(f.tensile_strength_MPa, f.tensile_yield_strain, f.tensile_strength_by_density);
    s.compression_MPa = of(f.compressive_strength_MPa, f.compressive_yield_strain, f.compressive_strength_by_density);
  }
  s.hardening_MPa = f.hardening_MPa ? *f.hardening_MPa : f.hardening_ratio.value_or(0) * modulus;
  s.slope = s.hardening_MPa / modulus;
  s.is_floor = f.law != yield_law::secant_damage && s.hardening_MPa < least_hardening * modulus;
  if (s.is_floor) s.hardening_MPa = least_hardening * modulus;
  return s;
}

}  // namespace osteon::physics
