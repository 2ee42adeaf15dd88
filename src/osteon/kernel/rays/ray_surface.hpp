#pragma once
/// @file
/// First intersection of a ray with an isosurface of a field.
#include <optional>
#include <osteon/kernel/rays/occupied_cells.hpp>
#include <vector>

namespace osteon::kernel {

/// The part of an isosurface in a block. Values on the inner side are at least the level; NaN is below the level. Surfaces
/// in the last half step of a ray are not detected.
class ray_surface {
 public:
  /// @param step_voxels step in units of the finest spacing, at most 1
  /// @param present voxels of `values`: owned voxels and ghosts_needed() voxels on every side, within the domain
  /// @cost one pass over the values
  ray_surface(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels,
              const float* values, float level);

  struct hit {
    vector3 point;   ///< voxels
    vector3 normal;  ///< unit vector in mm space, towards lower values
    bool cut;        ///< true if the ray begins inside the surface; `point` is then the entry of the ray into the domain,
                     ///< and `normal` is not set
  };
  /// First intersection of a ray. @param samples incremented by the number of interpolated samples
  std::optional<hit> first(const ray& along, std::int64_t& samples) const;
  /// First intersections of four rays, with a common search.
  void first(const ray* const (&along)[4], std::optional<hit> (&hits)[4], std::int64_t& samples) const;

  /// Interpolate `values` (shape of `present`) between voxels that are not NaN. The result is NaN if the sum of the weights
  /// of these voxels is at most `least_share`.
  double interpolate(const float* values, const vector3& point, double least_share) const;

  /// Average `values` (shape of `present`) by a cubic B-spline over the 4^3 voxels around a point, excluding NaN. The
  /// average is a smooth function of the point. The result is NaN if all 4^3 voxels are NaN. @cite [KnutssonWestin1993]
  double mean(const float* values, const vector3& point) const;

 private:
  std::optional<vector3> spline_normal(const vector3& point) const;
  // Values minus the level at the first sample at or above the level, and at the adjacent samples if known.
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
  int samples_;  // number of samples in a segment
  const float* given_;
  std::vector<float> repeated_;  // values of a thin domain, with repeated end values
  const float* values_;          // the repeated values, or the values of the caller
  ray_segments segments_;
  occupied_cells reached_;
};

}  // namespace osteon::kernel
