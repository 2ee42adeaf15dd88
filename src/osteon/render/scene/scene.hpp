#pragma once
/// @file
/// Scene of a picture: fields with their appearance, lines, camera, clipping.
#include <array>
#include <memory>
#include <optional>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/scene/compositing.hpp>
#include <vector>

namespace osteon::render {

struct streamlines;

/// Camera. By default, the camera looks at the centre of the domain. The origin of points is the corner of voxel (0, 0, 0).
struct camera {
  double azimuth_deg = 35, elevation_deg = 22;  ///< elevation above the y-x plane; z points up
  double zoom = 1;                              ///< 1 fits the domain's bounding sphere into the picture
  bool perspective = true;
  std::optional<vector3> look_at_mm{};  ///< centre of the picture; default: centre of the domain
  /// Position of the camera, which may be inside the domain. A given position determines the direction, and the angles are
  /// ignored. By default, the angles determine the direction, and the bounding sphere of the domain fits into the picture.
  std::optional<vector3> eye_mm{};
  /// True if the axes of the domain are left-handed in space. For left-handed axes, the picture is mirrored, because the
  /// picture would otherwise show the mirror image of the object.
  bool is_left_handed = false;
};

/// A point of a transfer function.
struct control_point {
  double value;                 ///< value in the unit of the field
  std::array<float, 3> colour;  ///< linear RGB in [0, 1]
  /// Opacity in [0, 1] of a path of 1/100 of the domain diagonal. Because of this fixed length, the picture is independent
  /// of step and resolution.
  float opacity;
};

/// A field and its appearance.
struct layer {
  const grid::ghosted_field<float>* field = nullptr;  ///< cell values; voxels with NaN are empty
  std::vector<control_point> transfer;                ///< ascending values
  bool shaded = false;                                ///< use gradient shading
  /// Emission in units of the colour; layers with values above 1 shine through content in front of them.
  double emission = 1;
};

/// Rendering method.
/// - `volume`: light through all layers
/// - `maximum`, `average`: maximum or average along the ray in the colours of the first layer
/// - `surface`: the lit isosurface of the first layer's field in the colours of the last layer (without opacities). A cut
/// face is drawn where the field is above the level at the entry of the ray into the (clipped) domain
enum class method { volume, maximum, average, surface };

/// Clipping plane. The plane removes the points p with normal . p > offset (in mm from the corner of voxel (0, 0, 0)).
struct clip_plane {
  vector3 normal;
  double offset_mm = 0;
};

/// Lines as lit opaque tubes. The transfer function maps speed to colour. The opacities of the transfer function have no
/// effect.
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
  std::vector<layer> layers;  ///< layers, mixed at every sample
  double step_voxels = 0.5;
  method how = method::volume;
  double level = 0.5;  ///< level of the surface
  /// Draw a surface with ambient occlusion and soft shadows.
  bool shades_itself = false;
  /// Draw a surface without lines with four rays per pixel at edges and creases.
  bool smooth_edges = false;
  std::vector<clip_plane> clip;
  std::optional<tubes> lines{};  ///< lines in a volume or around a surface; equal on all ranks
  compositing join{};            ///< compositing of volumes and surfaces; unused if there is a visibility cycle
};

/// Required ghost depth of the fields of the layers.
int ghost_depth(double step_voxels);

}  // namespace osteon::render
