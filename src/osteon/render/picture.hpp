#pragma once
/// @file
/// Pictures of a distributed field. Each rank casts rays through its own block. The partial images are then composited.
#include <memory>
#include <osteon/grid/block.hpp>
#include <osteon/render/scene/image.hpp>
#include <osteon/render/scene/scene.hpp>
#include <span>

namespace osteon::kernel {
class march_volume;
class ray_surface;
class solid_pyramid;
}  // namespace osteon::kernel

namespace osteon::render {

class image_join;

/// Precomputed data of a scene for several pictures. The data are the visible parts of the block, tables of the transfer
/// functions, and the compositor. The fields of the layers must remain valid and unchanged. Destruction is collective.
class prepared {
 public:
  /// @throws usage_error in the cases of render() @collective on where.comm
  /// @cost reads the fields several times
  prepared(const grid::block& where, const scene& scene);

  /// The compositor. Before the first picture, the pointer is null. Other scenes with the same blocks can also use this
  /// compositor.
  std::shared_ptr<image_join>& compositor() { return join_; }

 private:
  friend image render(const grid::block& where, const scene& scene, prepared& data, std::span<const int> first_row);
  void add(const grid::block& where, const scene& scene);
  void add_light(const grid::block& where, const scene& scene);
  std::shared_ptr<kernel::march_volume> volume_;
  std::shared_ptr<kernel::ray_surface> surface_;
  std::shared_ptr<kernel::solid_pyramid> solid_;
  std::shared_ptr<image_join> join_;
};

/// Render the picture of render(where, scene) with the precomputed `data`. `scene` may differ from the scene of `data` only
/// in view, picture size, clipping, background, method, lines and compositing. @collective on where.comm
image render(const grid::block& where, const scene& scene, prepared& data);

/// Render the picture, and distribute its rows. Rank r stores the rows from first_row[r] to first_row[r + 1] - 1. The other
/// overloads store the whole picture on rank 0.
/// @param first_row first row of each rank, followed by the height; ascending, starting with 0
image render(const grid::block& where, const scene& scene, prepared& data, std::span<const int> first_row);

/// Render the scene. With `wide` pixels, the result is bitwise independent of the numbers of ranks and threads. With other
/// pixel formats, the result differs from this result only by rounding.
/// @param where block of this rank. The fields of the layers must have ghosts of depth ghost_depth(scene.step_voxels).
///        Without `boxes`, the ranks may own any boxes that fill the domain, even boxes without a visibility order
/// @throws usage_error for an empty list of layers, a camera without extent, or sizes out of range
/// @collective on where.comm
/// @cost memory on every rank: up to 208 bytes (`wide` pixels) or 64 bytes (surfaces) for each pixel with a ray that may
/// intersect the domain; in addition, 2.7 MiB for ambient occlusion of a surface. Messages: each rank sends at most 64 (1 -
/// 1/ranks) bytes per pixel. If the number of ranks is not a power of two, each rank sends less than twice this number of
/// bytes. Each rank also sends its part of the finished picture once. In shared memory, ranks send no messages
image render(const grid::block& where, const scene& scene);

}  // namespace osteon::render
