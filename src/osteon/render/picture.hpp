#pragma once
/// @file
/// Pictures of a distributed field: each rank casts rays through its own block, and the partial images are composited.
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

/// Precomputed data of the layers of a scene, for several pictures: visible parts of the block, tables of the transfer
/// functions, and the compositor. The fields of the layers must remain valid and unchanged. All ranks destroy the object
/// together.
class prepared {
 public:
  /// @throws usage_error like render() @collective on where.comm
  /// @cost reads the fields several times
  prepared(const grid::block& where, const scene& scene);

  /// The compositor; null before the first picture. Other scenes with the same blocks can also use this compositor.
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

/// Render the same picture as render(where, scene) with precomputed `data`. The scene of `data` may differ from `scene` only
/// in view, picture size, clipping, background, method, lines and compositing. @collective on where.comm
image render(const grid::block& where, const scene& scene, prepared& data);

/// Render the same picture and distribute its rows. Rank r stores the rows from first_row[r] to first_row[r + 1] - 1. The
/// other overloads store the picture on rank 0.
/// @param first_row first row of each rank, followed by the height; ascending from 0
image render(const grid::block& where, const scene& scene, prepared& data, std::span<const int> first_row);

/// Render the scene. With `wide` pixels the result is bitwise independent of the number of ranks and threads. With other
/// pixel formats, the result differs from the `wide` result only by rounding.
/// @param where block of this rank. The fields of the layers must have ghosts of depth ghost_depth(scene.step_voxels).
///        Without `boxes`, the ranks may own any boxes that fill the domain, even boxes without a visibility order
/// @throws usage_error on an empty layer list, a camera without extent, sizes out of range
/// @collective on where.comm
/// @cost memory on every rank: up to 208 bytes (`wide` pixels) or 64 bytes (surfaces) per pixel with a ray that may
/// intersect the domain; 2.7 MiB more for ambient occlusion of a surface. Messages: each rank sends at most 64 (1 - 1/ranks)
/// bytes per pixel. If the number of ranks is not a power of two, each rank sends less than twice this amount. Each rank
/// also sends its part of the finished picture once. In shared memory there are no messages
image render(const grid::block& where, const scene& scene);

}  // namespace osteon::render
