#pragma once
/// @file
/// Rays of a picture: the camera for a given domain and picture, and the visibility order of boxes.
#include <algorithm>
#include <osteon/base/box.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/render/scene/scene.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

/// A rectangle of pixels, [left, right) x [top, bottom).
struct pixel_box {
  int left = 0, top = 0, right = 0, bottom = 0;
  std::int64_t width() const { return right > left ? right - left : 0; }
  std::int64_t height() const { return bottom > top ? bottom - top : 0; }
  std::int64_t size() const { return width() * height(); }
  /// Number of its pixels above a row of the picture.
  std::int64_t pixels_above(int row) const { return (std::clamp(row, top, std::max(top, bottom)) - top) * width(); }
};

/// Eye and axes of the camera in mm, with the corner of voxel (0, 0, 0) as origin. Axes are unit vectors.
struct view {
  index3 domain;
  vector3 spacing_mm;
  int width = 0, height = 0;
  bool perspective = true;
  vector3 eye, forward, right, up;
  vector3 focus;          ///< point to look at (mm)
  vector3 voxels_per_mm;  ///< along the axes
  double pixel = 0;       ///< edge of a pixel: mm (orthographic), or mm at one mm from the eye (perspective)

  std::vector<clip_plane> clip;

  static view of(const camera& c, index3 domain, vector3 spacing_mm, int width, int height);

  /// Ray through the centre of a pixel, clipped to the domain and by the planes.
  kernel::ray ray_through(int column, int row) const { return ray_through(double{1} * column, double{1} * row); }
  /// The same for any position; integers are centres of pixels.
  kernel::ray ray_through(double column, double row) const;

  template <class F>
  struct rays_of {
    F origin[3], direction[3], entry, exit;  ///< of a kernel::ray
  };
  /// Rays of four columns from `column` on, with different first samples: see stagger().
  rays_of<kernel::double4> staggered_rays(int column, int row, double step) const;
  /// Rays through four positions, as ray_through().
  rays_of<kernel::double4> four_rays(const kernel::double4& columns, const kernel::double4& rows) const;

  /// Unit normal, towards the eye, of the domain face or clipping plane at the entry of a ray.
  vector3 face_entered(const kernel::ray& entering) const;
  /// Distance of a point (mm) in front of the eye along the view direction; negative behind it.
  double depth(const vector3& point) const;
  /// Column and row of a point (mm) in the picture; integers are pixel corners. In perspective it must be in front of the
  /// eye.
  std::array<double, 2> project(const vector3& point) const;
  /// Pixels with rays that may intersect a box of voxels; all if the box extends from before the eye to behind it.
  pixel_box seen(const box3& part) const;

 private:
  template <class F>
  rays_of<F> rays_through(const F& column, const F& row) const;
};

/// Offset of the first sample of a pixel's ray in (-1/2, 1/2) steps around the centre of the first step.
///
/// Equal offsets would show surfaces of equal depth as contour lines. A fixed function of the pixel makes pictures
/// reproducible.
/// @cite [Jimenez2014], interleaved gradient noise
double stagger(int column, int row);

/// Ranks front to back.
///
/// No ray crosses a cut twice, and a crossing ray leaves the side of the eye: so all boxes on that side precede.
/// @cite [Fuchs1980]
std::vector<int> visibility_order(const view& from, const grid::box_tree& boxes);

struct box_visibility {
  std::vector<int> order;  ///< boxes front to back: none hides a part of one before it; empty if there is a cycle
  std::vector<int>
      cycle;  ///< each of these boxes hides a part of the next one, and the last one of the first; empty if none
};

/// Visibility order of boxes, or a cycle if none exists. Among several orders, the one with low numbers first.
/// @param boxes disjoint boxes
/// @cost O(n^2) for n boxes
box_visibility order_boxes(const view& from, std::span<const box3> boxes);

/// `rank 0 hides a part of rank 2, which hides a part of rank 1, which hides a part of rank 0`
std::string words_of_cycle(std::span<const int> cycle);

/// @throws usage_error if two boxes overlap, one has no voxel, or they do not fill the domain
void check_boxes(index3 domain, std::span<const box3> boxes);

}  // namespace osteon::render
