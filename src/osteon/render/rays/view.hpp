#pragma once
/// @file
/// Rays of a picture. The file contains the camera of a domain, and the visibility order of boxes.
#include <algorithm>
#include <osteon/base/box.hpp>
#include <osteon/grid/box_tree.hpp>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/render/scene/scene.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::render {

/// The point from + t * direction.
inline vector3 along(const vector3& from, double t, const vector3& direction) {
  return {from.z + t * direction.z, from.y + t * direction.y, from.x + t * direction.x};
}
inline double dot(const vector3& a, const vector3& b) { return a.z * b.z + a.y * b.y + a.x * b.x; }

/// The pixels [left, right) x [top, bottom).
struct pixel_box {
  int left = 0, top = 0, right = 0, bottom = 0;
  std::int64_t width() const { return right > left ? right - left : 0; }
  std::int64_t height() const { return bottom > top ? bottom - top : 0; }
  std::int64_t size() const { return width() * height(); }
  /// Number of pixels of this rectangle above a row of the picture.
  std::int64_t pixels_above(int row) const { return (std::clamp(row, top, std::max(top, bottom)) - top) * width(); }
};

/// Eye and axes of the camera in mm. The origin is the corner of voxel (0, 0, 0). The axes are unit vectors.
struct view {
  index3 domain;
  vector3 spacing_mm;
  int width = 0, height = 0;
  bool perspective = true;
  vector3 eye, forward, right, up;
  vector3 focus;          ///< point at the centre of the view (mm)
  vector3 voxels_per_mm;  ///< number of voxels per mm along each axis
  /// edge of a pixel: in mm (orthographic), or in mm at a distance of 1 mm from the eye (perspective)
  double pixel = 0;

  std::vector<clip_plane> clip;

  static view of(const camera& c, index3 domain, vector3 spacing_mm, int width, int height);

  /// Ray through the centre of a pixel. The ray is clipped by the domain and the clipping planes.
  kernel::ray ray_through(int column, int row) const { return ray_through(double{1} * column, double{1} * row); }
  /// Ray through any position of the picture. Integer positions are centres of pixels.
  kernel::ray ray_through(double column, double row) const;

  template <class F>
  struct rays_of {
    F origin[3], direction[3], entry, exit;  ///< members of a kernel::ray
  };
  /// Rays of four columns, starting with `column`. stagger() is the offset of the first sample.
  rays_of<kernel::double4> staggered_rays(int column, int row, double step) const;
  /// Rays through four positions. Each ray equals the result of ray_through().
  rays_of<kernel::double4> four_rays(const kernel::double4& columns, const kernel::double4& rows) const;

  /// Unit normal of the domain face or clipping plane at which a ray enters. The normal points towards the eye.
  vector3 face_entered(const kernel::ray& entering) const;
  /// Distance between a point (mm) and the eye along the view direction. Behind the eye, the distance is negative.
  double depth(const vector3& point) const;
  /// Column and row of a point (mm) in the picture. Integer positions are corners of pixels. In perspective, the point must
  /// be in front of the eye.
  std::array<double, 2> project(const vector3& point) const;
  /// Pixels with rays that may intersect a box of voxels. In perspective, the plane of the eye may intersect the box. In
  /// this case, the result is all pixels.
  pixel_box seen(const box3& part) const;

 private:
  template <class F>
  rays_of<F> rays_through(const F& column, const F& row) const;
};

/// Offset between the first sample of a ray and the centre of the first step, in (-1/2, 1/2) steps.
///
/// Equal offsets of all rays would cause artificial contour lines of equal depth. The offset depends only on the pixel.
/// Pictures are therefore reproducible.
/// @cite [Jimenez2014], interleaved gradient noise
double stagger(int column, int row);

/// Ranks in front-to-back order.
///
/// A ray crosses a cut of the box tree at most once. The crossing is from the side of the eye to the other side. Boxes on
/// the side of the eye therefore precede the other boxes.
/// @cite [Fuchs1980]
std::vector<int> visibility_order(const view& from, const grid::box_tree& boxes);

struct box_visibility {
  std::vector<int> order;  ///< boxes in front-to-back order; empty if the boxes form a cycle
  std::vector<int>
      cycle;  ///< each box hides a part of the next box, and the last box hides a part of the first box; usually empty
};

/// Visibility order of boxes, or a cycle if no order exists. If several orders are possible, boxes with lower numbers are
/// first.
/// @param boxes disjoint boxes
/// @cost O(n^2) for n boxes
box_visibility order_boxes(const view& from, std::span<const box3> boxes);

/// Description of a cycle, for example `rank 0 hides a part of rank 2, which hides a part of rank 1, which hides a part of
/// rank 0`.
std::string describe_cycle(std::span<const int> cycle);

/// @throws usage_error if two boxes overlap, if a box has no voxels, or if the boxes do not fill the domain
void check_boxes(index3 domain, std::span<const box3> boxes);

}  // namespace osteon::render
