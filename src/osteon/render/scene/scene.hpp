#pragma once
/// @file
/// Content of a picture: fields and their appearance, lines, camera, clipping.
#include <array>
#include <memory>
#include <optional>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/scene/compositing.hpp>
#include <vector>

namespace osteon::render {

struct streamlines;

/// A camera outside of the domain that looks at its centre, or at any position. Angles in degrees, points in mm from the
/// corner of voxel (0, 0, 0).
struct camera {
  double azimuth_deg = 35, elevation_deg = 22;  ///< elevation above the y-x plane; z points up
  double zoom = 1;                              ///< 1 fits the domain's bounding sphere into the picture
  bool perspective = true;
  std::optional<vector3> look_at_mm{};  ///< centre of the picture; absent: centre of the domain
  /// Position of the camera, which may be inside of the domain: content behind it is invisible. The angles follow from it.
  /// Absent: at the distance at which the bounding sphere of the domain fits.
  std::optional<vector3> eye_mm{};
  /// The axes of the domain are left-handed in space: the picture is mirrored once more, so that a viewer sees the object
  /// and not its mirror image.
  bool is_left_handed = false;
};

/// A point of a transfer function.
struct control_point {
  double value;                 ///< in the field's unit
  std::array<float, 3> colour;  ///< linear RGB in [0, 1]
  float opacity;                ///< for a path of a hundredth of the domain's diagonal, in [0, 1]: a picture looks
                                ///< the same for every step and every resolution of the same object
};

/// A field and its appearance.
struct layer {
  const grid::ghosted_field<float>* field = nullptr;  ///< cell values; NaN counts as empty
  std::vector<control_point> transfer;                ///< ascending values
  bool shaded = false;                                ///< gradient shading
  double emission = 1;  ///< emission in units of the colour; values above 1 shine through content in front
};

/// Value of a pixel from its ray: light through the layers; one number in the colours of the first layer; or the lit
/// isosurface of the first layer's field in the colours of the last layer (without opacities). If the field is above the
/// level at the entry of the ray into the (clipped) domain, the cut is shown.
enum class method { volume, maximum, average, surface };

/// Clipping plane: removes the points p (mm, from the corner of voxel (0, 0, 0)) with normal . p > offset.
struct clip_plane {
  vector3 normal;
  double offset_mm = 0;
};

/// Lines, drawn as lit opaque tubes in the colours of their speed; opacities do not count.
struct tubes {
  std::shared_ptr<const streamlines> lines;
  double radius_mm = 0;
  std::vector<control_point> transfer;  ///< ascending speeds
};

struct scene {
  vector3 spacing_mm;
  camera view;
  int width = 1024, height = 1024;
  std::array<float, 3> background{1, 1, 1};
  std::vector<layer> layers;  ///< mixed at every sample: translucent bone and glowing SED
  double step_voxels = 0.5;
  method how = method::volume;
  double level = 0.5;  ///< level of a surface
  /// Surface: ambient occlusion and soft shadows.
  bool shades_itself = false;
  /// Surface without lines: pixels at edges and creases are the mean of four rays.
  bool smooth_edges = false;
  std::vector<clip_plane> clip;
  std::optional<tubes> lines{};  ///< in a volume, or before and behind a surface; the same on all ranks
  compositing join{};            ///< options for volumes and surfaces; ignored if there is a visibility cycle
};

/// Required ghost depth of the fields of the layers.
int ghost_depth(double step_voxels);

}  // namespace osteon::render
