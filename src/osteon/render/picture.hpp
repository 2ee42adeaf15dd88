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

/// Precomputed data of the layers of a scene, kept over the frames of an orbit: visible parts of the block, tables of the
/// transfer functions, and the compositor. The fields of the layers must remain valid and unchanged. All ranks destroy it
/// together.
class prepared {
 public:
  /// @throws usage_error like render() @collective on where.comm
  /// @cost several passes over the fields
  prepared(const grid::block& where, const scene& what);

  /// The compositor; null before the first picture. Another scene of the same blocks can reuse it.
  std::shared_ptr<image_join>& compositor() { return join_; }

 private:
  friend image render(const grid::block& where, const scene& what, prepared& kept, std::span<const int> first_row);
  void add(const grid::block& where, const scene& what);
  void add_light(const grid::block& where, const scene& what);
  std::shared_ptr<kernel::march_volume> volume_;
  std::shared_ptr<kernel::ray_surface> surface_;
  std::shared_ptr<kernel::solid_pyramid> solid_;
  std::shared_ptr<image_join> join_;
};

/// The same picture as render(where, what), with the `kept` of a scene that may differ in view, picture size, clipping,
/// background, method, lines and compositing only. @collective on where.comm
image render(const grid::block& where, const scene& what, prepared& kept);

/// The same, with the rows first_row[r] to first_row[r + 1] on rank r; the other functions store the picture on rank 0.
/// @param first_row first row of each rank, and the height; ascending from 0
image render(const grid::block& where, const scene& what, prepared& kept, std::span<const int> first_row);

/// Render the scene. With `wide` pixels the result is bitwise independent of the number of ranks and threads; with other
/// pixels it is close to that.
/// @param where the block of the ghosted fields of the layers; ghosts of depth ghost_depth(what.step_voxels). Without
///        `boxes`, the ranks may own any boxes that fill the domain, even without a visibility order
/// @throws usage_error on an empty layer list, a camera without extent, sizes out of range
/// @collective on where.comm
/// @cost memory: up to 208 bytes per pixel whose ray may intersect the domain, on every rank (of `wide` pixels; of surfaces
///        64), and 2.7 MiB if a surface shades itself; sends at most (1 - 1/ranks) of 64 bytes a pixel, less than twice that
///        if the number of ranks is not a power of two, and the picture once more; no messages in shared memory
image render(const grid::block& where, const scene& what);

}  // namespace osteon::render
