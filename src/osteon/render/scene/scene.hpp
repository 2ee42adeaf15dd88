#pragma once
/// @file
/// What a picture shows: fields and how they look, lines, the camera, what is cut away.
#include <array>
#include <memory>
#include <optional>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/scene/compositing.hpp>
#include <vector>

namespace osteon::render {

struct streamlines;

/// A camera that looks at the centre of the domain from outside, or stands anywhere. Angles in degrees, points in mm from
/// the corner of voxel (0, 0, 0).
struct camera {
  double azimuth_deg = 35, elevation_deg = 22;  ///< elevation above the y-x plane; z points up
  double zoom = 1;                              ///< 1 fits the domain's bounding sphere into the picture
  bool perspective = true;
  std::optional<vector3> look_at_mm{};  ///< what lies in the middle of the picture; absent: the domain's centre
  /// Where the camera stands, be it inside of the domain: what lies behind it is not seen. The angles follow from it.
  /// Absent: so far away that the domain's bounding sphere fits.
  std::optional<vector3> eye_mm{};
  /// The axes of the domain are left-handed in space: the picture is mirrored once more, so that a viewer sees the object
  /// and not its mirror image.
  bool is_left_handed = false;
};

/// A point of a transfer function.
struct control_point {
  double value;                 ///< in the field's unit
  std::array<float, 3> colour;  ///< linear RGB in [0, 1]
  float opacity;                ///< of a path of a hundredth of the domain's diagonal, in [0, 1]: a picture looks
                                ///< the same for every step and every resolution of the same object
};

/// A field and how it looks.
struct layer {
  const grid::ghosted_field<float>* field = nullptr;  ///< cell values; NaN counts as empty
  std::vector<control_point> transfer;                ///< by rising value
  bool shaded = false;                                ///< gradient shading
  double emission = 1;  ///< light given off, in units of the colour; above 1 glows through what lies in front
};

/// What a pixel shows of its ray: light through the layers; one number in the colours of the first layer; or where the first
/// layer's field first rises to a level, that surface, lit, in the colours of the last layer (opacities do not count). Where
/// the ray enters the domain or what a plane left of it, and the field is above the level there, the cut is shown.
enum class method { volume, maximum, average, surface };

/// What is cut away: the points p (mm, from the corner of voxel (0, 0, 0)) with normal . p > offset.
struct clip_plane {
  vector3 normal;
  double offset_mm = 0;
};

/// Lines, drawn as lit opaque tubes in the colours of their speed; opacities do not count.
struct tubes {
  std::shared_ptr<const streamlines> lines;
  double radius_mm = 0;
  std::vector<control_point> transfer;  ///< by rising speed
};

struct scene {
  vector3 spacing_mm;
  camera view;
  int width = 1024, height = 1024;
  std::array<float, 3> background{1, 1, 1};
  std::vector<layer> layers;  ///< mixed at every sample: translucent bone and glowing SED
  double step_voxels = 0.5;
  method how = method::volume;
  double level = 0.5;  ///< of a surface
  /// Of a surface: little light comes into its crevices, and what stands before the lamp casts a soft shadow.
  bool shades_itself = false;
  /// Of a surface without lines: pixels where it ends or bends are the mean of four rays.
  bool smooth_edges = false;
  std::vector<clip_plane> clip;
  std::optional<tubes> lines{};  ///< in a volume, or before and behind a surface; the same on all ranks
  compositing join{};            ///< of volumes and surfaces; of no account where there is a visibility cycle
};

/// Depth of the ghosts that the fields of the layers need.
int ghost_depth(double step_voxels);

}  // namespace osteon::render
