#pragma once
/// @file
/// First intersection of a ray with an isosurface of a field.
#include <optional>
#include <osteon/kernel/rays/occupied_cells.hpp>
#include <vector>

namespace osteon::kernel {

/// Part of the isosurface in the block, where values reach a level. NaN is below the level. A surface in the last half step
/// of a ray is not detected.
class ray_surface {
 public:
  /// @param step_voxels of the finest spacing, at most 1
  /// @param present voxels that `values` holds: the owned ones and ghosts_needed() on every side, where the domain has them
  /// @cost one pass over the values
  ray_surface(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels,
              const float* values, float level);

  struct hit {
    vector3 point;   ///< voxels
    vector3 normal;  ///< unit vector in mm space, towards lower values
    bool cut;        ///< the ray begins inside: the surface is at its entry into the domain, `normal` is not set
  };
  /// @param samples counts those that were interpolated
  std::optional<hit> first(const ray& along, std::int64_t& samples) const;
  /// The same for four rays, which share the search for the surface.
  void first(const ray* const (&along)[4], std::optional<hit> (&hits)[4], std::int64_t& samples) const;

  /// Values of the shape of `present`, interpolated between those that are not NaN; NaN if the sum of their weights is at
  /// most `least_share`.
  double interpolate(const float* values, const vector3& point, double least_share) const;

  /// Values of the shape of `present`, averaged by a cubic B-spline around a point over those of 4^3 voxels that are not
  /// NaN, which is smooth when voxels enter. NaN if there are none. @cite [KnutssonWestin1993]
  double mean(const float* values, const vector3& point) const;

 private:
  std::optional<vector3> spline_normal(const vector3& point) const;
  // Values minus the level at the sample that reaches it, and at the adjacent samples if known.
  struct samples_around {
    std::optional<double> before;
    double at;
    std::optional<double> behind;
  };
  hit refine(const ray& along, std::int64_t sample, const samples_around& known) const;

  index3 domain_;
  vector3 spacing_mm_;
  box3 present_;
  double step_;
  float level_;
  int samples_;  // in a segment
  const float* given_;
  std::vector<float> repeated_;  // values of a thin domain, with those at its ends repeated
  const float* values_;          // the repeated values, or the given ones
  ray_segments segments_;
  occupied_cells reached_;
};

}  // namespace osteon::kernel
