#pragma once
/// @file
/// Pictures of a field that is spread over ranks: each rank casts rays through its own block, the partial images are
/// composited.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/compositing.hpp>
#include <osteon/render/streamlines.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::kernel {
class march_volume;
class ray_surface;
}  // namespace osteon::kernel

namespace osteon::render {

class image_join;

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
  std::vector<clip_plane> clip;
  std::optional<tubes> lines{};  ///< in a volume, or before and behind a surface; the same on all ranks
  compositing join{};            ///< of volumes and surfaces; of no account where there is a visibility cycle
};

/// Depth of the ghosts that the fields of the layers need.
int ghost_depth(double step_voxels);

/// What lies between the last ray and the rows of a picture.
struct join_time {
  double seconds = 0;      ///< from when the last rank has cast its rays
  double cpu_seconds = 0;  ///< of this rank, all threads
};

/// A picture, or rows of it, in linear RGBA float, premultiplied, rows from top to bottom, shape (height, width, 4).
struct image {
  int width = 0, height = 0;
  int first_row = 0;         ///< of the picture
  std::int64_t samples = 0;  ///< that this rank took on the way, on every rank
  std::vector<float> rgba;
  /// Empty, or ranks of which each hides a part of the next one, and the last one of the first (words_of_cycle). Then every
  /// pixel was put in order by itself: the same picture, for more bytes.
  std::vector<int> cycle{};
  join_time joining{};
  std::string composited{};  ///< by which method and transport, and why, in words; empty if nothing was
};

/// What a scene's layers need before the first ray is cast, kept over the frames of an orbit: which parts of the block can
/// be seen, the transfer functions as tables, and the compositor. The layers' fields stay where they are and as they are.
/// All ranks let go of it together.
class prepared {
 public:
  /// @throws usage_error like render() @collective on where.comm
  /// @cost several passes over the fields
  prepared(const grid::block& where, const scene& what);

  /// The compositor; none before the first picture. Another scene of the same blocks can go on with it.
  std::shared_ptr<image_join>& compositor() { return join_; }

 private:
  friend image render(const grid::block& where, const scene& what, prepared& kept, std::span<const int> first_row);
  void add(const grid::block& where, const scene& what);
  std::shared_ptr<kernel::march_volume> volume_;
  std::shared_ptr<kernel::ray_surface> surface_;
  std::shared_ptr<image_join> join_;
};

/// The same picture as render(where, what), by a `kept` of a scene that differs in nothing but the view, the size of the
/// picture, the clipping, the background, the method, the lines and the compositing. @collective on where.comm
image render(const grid::block& where, const scene& what, prepared& kept);

/// The same, with the rows first_row[r] to first_row[r + 1] on rank r; the other functions leave all of it on rank 0.
/// @param first_row a row for each rank, and the height; rising from 0
image render(const grid::block& where, const scene& what, prepared& kept, std::span<const int> first_row);

/// Render the scene. For a given scene that is composited in `wide` pixels, the result is the same, bit for bit, for every
/// number of ranks and threads; in other pixels it is near that.
/// @param where the block whose ghosted fields the layers hold; ghosts of depth ghost_depth(what.step_voxels). Without
///        `boxes`, the ranks may own any boxes that fill the domain, also such that no order of visibility exists
/// @throws usage_error on an empty layer list, a camera without extent, sizes out of range
/// @collective on where.comm
/// @cost memory: up to 208 bytes for each pixel that may see the domain, on every rank (of `wide` pixels); sends at most
///       (1 - 1/ranks) of 64 bytes a pixel, less than twice that if the number of ranks is not a power of two, and the
///       picture once more; nothing in shared memory
image render(const grid::block& where, const scene& what);

/// The picture over its background, 8-bit sRGB, straight alpha, which is 255 everywhere; shape as the picture's.
std::vector<std::uint8_t> to_rgba8(const image& picture, std::array<float, 3> background);

/// Colours of a named perceptual map (batlow, lipari, vik ...), 256 linear RGB values.
/// @throws usage_error with the known names
const std::array<std::array<float, 3>, 256>& colour_map(const std::string& name);

}  // namespace osteon::render
