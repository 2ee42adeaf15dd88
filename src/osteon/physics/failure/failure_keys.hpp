#pragma once
/// @file
/// The table [failure] of a job.
#include <osteon/job/choices.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

/// When a point yields.
enum class yield_law { von_mises, cone, quadric, secant_damage };
inline std::span<const char* const> choice_names(yield_law) {
  static constexpr const char* names[] = {"von_mises", "cone", "quadric", "secant_damage"};
  return names;
}

/// Of the stresses of a voxel: at its Gauss points, or with the mean dilatation of the voxel.
enum class failure_integration { full, bbar };
inline std::span<const char* const> choice_names(failure_integration) {
  static constexpr const char* names[] = {"full", "bbar"};
  return names;
}

struct failure_keys {
  optional_choice<yield_law> law;
  std::optional<double> yield_stress_MPa, yield_strain;  ///< of von_mises
  std::optional<double> tensile_strength_MPa, tensile_yield_strain, compressive_strength_MPa, compressive_yield_strain;
  /// Instead of either: coefficient in MPa and exponent of the density of [density_law].
  std::vector<double> yield_stress_by_density, tensile_strength_by_density, compressive_strength_by_density;
  std::optional<double> interaction;                         ///< of quadric
  std::optional<double> hardening_MPa, hardening_ratio;      ///< absent: none
  std::optional<double> fracture_ratio, fracture_length_mm;  ///< of secant_damage
  choice<failure_integration> integration = failure_integration::full;
  std::optional<std::int64_t> steps;  ///< absent: as they converge
  std::vector<double> path;           ///< multiples of the load; none: once, to the load
  std::int64_t halvings = 6;
  std::vector<double> materials;  ///< numbers, from 1; none: all
  bool prove = false;             ///< the path is walked again in half the steps
};

/// Register the keys, and those of mechanical loads.
void register_failure_keys(key_table& job);

/// What is wrong with a job of this physics, as far as it can be said without the image.
void check_failure_keys(const spec& job, std::vector<problem>& problems);

/// What a material of a job bears.
struct strengths {
  double tension_MPa = 0, compression_MPa = 0;  ///< 0: stays elastic
  double hardening_MPa = 0;
  bool is_floor = false;  ///< the hardening is the least one that the solver takes
  double slope = 0;       ///< of secant_damage: of the stress over the strain, over Young's modulus
};
/// @param number of the material in the model, from 1
strengths strengths_of(const spec& job, const voxel::material& material, std::size_t number);

}  // namespace osteon::physics
