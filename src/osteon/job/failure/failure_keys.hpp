#pragma once
/// @file
/// The table [failure] of a job.
#include <osteon/job/physics.hpp>

namespace osteon::job {

struct failure_keys {
  std::optional<std::string> law;                        ///< von_mises or cone
  std::optional<double> yield_stress_MPa, yield_strain;  ///< of von_mises
  std::optional<double> tensile_strength_MPa, tensile_yield_strain, compressive_strength_MPa, compressive_yield_strain;
  std::optional<double> hardening_MPa, hardening_ratio;  ///< absent: none
  std::string integration = "full";                      ///< or bbar
  std::optional<std::int64_t> steps;                     ///< absent: as they converge
  std::vector<double> path;                              ///< multiples of the load; none: once, to the load
  std::int64_t halvings = 6;
  std::vector<double> materials;  ///< numbers, from 1; none: all
};

inline failure_keys failure_keys_of(const spec& job) { return own_keys<failure_keys>(job, "failure"); }

/// Describe the keys.
void describe_failure(key_visitor& v, spec& job);

/// What is wrong with a job of this physics, as far as it can be said without the image.
void check_failure_keys(const spec& job, std::vector<problem>& problems);

/// Strains at which a material of a job yields, and what becomes of its strengths.
struct strengths {
  double tension_MPa = 0, compression_MPa = 0;  ///< 0: stays elastic
  double hardening_MPa = 0;
  bool is_floor = false;  ///< the hardening is the least one that the solver takes
};
/// @param number of the material in the model, from 1
strengths strengths_of(const failure_keys& keys, const voxel::material& material, std::size_t number);

}  // namespace osteon::job
