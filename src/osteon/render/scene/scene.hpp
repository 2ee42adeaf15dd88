#pragma once
/// @file
/// Scene of a picture. A scene consists of fields with their appearance, lines, a camera and clipping planes.
#include <array>
#include <memory>
#include <optional>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/scene/compositing.hpp>
#include <vector>

namespace osteon::render {

struct streamlines;

/// Camera. By default, the camera points at the centre of the domain. The origin of points is the corner of voxel (0, 0, 0).
struct camera {
  double azimuth_deg = 35, elevation_deg = 22;  ///< azimuth, and elevation above the y-x plane; z points up
  double zoom = 1;                              ///< 1: the bounding sphere of the domain fits into the picture
  bool perspective = true;
  std::optional<vector3> look_at_mm{};  ///< point at the centre of the picture; default: centre of the domain
  /// Position of the camera. The position may be inside the domain. If a position is given, this position determines the
  /// direction, and the angles are ignored. By default, the angles determine the direction. The distance is such that the
  /// bounding sphere of the domain fits into the picture.
  std::optional<vector3> eye_mm{};
  /// True if the axes of the domain are left-handed in space. For left-handed axes, the picture is mirrored. Without
  /// mirroring, the picture would show the mirror image of the object.
  bool is_left_handed = false;
};

/// A point of a transfer function.
struct control_point {
  double value;                 ///< value in the unit of the field
  std::array<float, 3> colour;  ///< linear RGB in [0, 1]
  /// Opacity in [0, 1] of a path with 1/100 of the length of the domain diagonal. With this fixed length, the picture is
  /// independent of step and resolution.
  float opacity;
};

/// A field and its appearance.
struct layer {
  const grid::ghosted_field<float>* field = nullptr;  ///< values of cells; voxels with NaN are empty
  std::vector<control_point> transfer;                ///< control points with ascending values
  bool shaded = false;                                ///< true: use gradient shading
  /// Emission in units of the colour. With values above 1, the layer shines through content in front of the layer.
  double emission = 1;
};

/// Rendering method:
/// - `volume`: light through all layers
/// - `maximum`, `average`: maximum or average along the ray, in the colours of the first layer
/// - `surface`: the lit isosurface of the field of the first layer, in the colours of the last layer. Opacities are ignored.
///   A cut face is drawn if the field is above the level where the ray enters the (clipped) domain.
enum class method { volume, maximum, average, surface };

/// Clipping plane. The plane removes the points p with normal . p > offset. The offset is in mm from the corner of voxel (0,
/// 0, 0).
struct clip_plane {
  vector3 normal;
  double offset_mm = 0;
};

/// Lines that are drawn as lit opaque tubes. The transfer function maps speed to colour. The opacities of the transfer
/// function have no effect.
struct tubes {
  std::shared_ptr<const streamlines> lines;
  double radius_mm = 0;
  std::vector<control_point> transfer;  ///< points with ascending speeds
};

struct scene {
  vector3 spacing_mm;
  camera view;
  int width = 1024, height = 1024;
  std::array<float, 3> background{1, 1, 1};
  std::vector<layer> layers;  ///< layers, which are mixed at every sample
  double step_voxels = 0.5;
  method how = method::volume;
  double level = 0.5;  ///< level of the surface
  /// True: draw a surface with ambient occlusion and soft shadows.
  bool shades_itself = false;
  /// True: draw a surface without lines with four rays per pixel at edges and creases.
  bool smooth_edges = false;
  std::vector<clip_plane> clip;
  std::optional<tubes> lines{};  ///< lines in a volume or around a surface; the lines are equal on all ranks
  compositing join{};            ///< compositing of volumes and surfaces; not used if the boxes have a visibility cycle
};

/// Depth of ghosts that the fields of the layers must have.
int ghost_depth(double step_voxels);

}  // namespace osteon::render
