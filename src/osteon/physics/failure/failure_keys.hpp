#pragma once
/// @file
/// Keys of the table [failure].
#include <osteon/job/choices.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// Laws of yield and damage.
enum class yield_law { von_mises, cone, quadric, secant_damage };
inline auto choice_names(yield_law) { return choices<"von_mises", "cone", "quadric", "secant_damage">(); }

/// Integration of the stresses of a voxel. full: at the Gauss points of the voxel; bbar: with the mean dilatation of the
/// voxel.
enum class failure_integration { full, bbar };
inline auto choice_names(failure_integration) { return choices<"full", "bbar">(); }

struct failure_keys {
  optional_choice<yield_law> law;
  std::optional<double> yield_stress_MPa, yield_strain;  ///< for von_mises
  std::optional<double> tensile_strength_MPa, tensile_yield_strain, compressive_strength_MPa, compressive_yield_strain;
  /// Strengths as functions of the density, instead of constant strengths. The numbers are a coefficient in MPa, and an
  /// exponent of the density in [density_law].
  std::vector<double> yield_stress_by_density, tensile_strength_by_density, compressive_strength_by_density;
  std::optional<double> interaction;                         ///< for quadric
  std::optional<double> hardening_MPa, hardening_ratio;      ///< absent: no hardening
  std::optional<double> fracture_ratio, fracture_length_mm;  ///< for secant_damage
  choice<failure_integration> integration = failure_integration::full;
  std::optional<std::int64_t> steps;  ///< absent: the steps are adaptive
  std::vector<double> path;           ///< multiples of the load; default: [1]
  std::int64_t halvings = 6;
  std::vector<double> materials;  ///< numbers of materials, from 1; empty: all materials
  bool prove = false;             ///< true: repeat the path with half of the step size
};

/// Register the keys of [failure], and the keys of mechanical loads.
void register_failure_keys(key_table& job);

/// Check the keys of a job. The checks do not need the image.
void check_failure_keys(const spec& job, std::vector<problem>& problems);

/// Strengths of a material of a job.
struct strengths {
  double tension_MPa = 0, compression_MPa = 0;  ///< strengths; 0: the material remains elastic
  double hardening_MPa = 0;
  bool is_floor = false;  ///< true if the hardening was raised to the smallest value that the solver supports
  double slope = 0;       ///< for secant_damage: slope of stress over strain, divided by Young's modulus
};
/// @param number number of the material in the model, from 1
strengths strengths_of(const spec& job, const voxel::material& material, std::size_t number);

}  // namespace osteon::physics
