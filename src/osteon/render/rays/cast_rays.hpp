#pragma once
/// @file
/// Ray casting of one block. If blocks have no visibility order, the partial images are sorted separately in each pixel.
#include <mpi.h>

#include <functional>
#include <osteon/kernel/rays/ray_march.hpp>
#include <osteon/kernel/rays/ray_surface.hpp>
#include <osteon/kernel/rays/solid_pyramid.hpp>
#include <osteon/plan/plan.hpp>
#include <osteon/render/rays/tubes.hpp>
#include <osteon/render/rays/view.hpp>
#include <osteon/render/scene/transfer.hpp>
#include <vector>

namespace osteon::render {

/// Light from the upper left. The source of the light is behind the eye. Faces with different orientations therefore differ
/// in brightness.
kernel::lighting light_of(const view& from);

/// A subset of the pixels of a picture.
class pixel_set {
 public:
  pixel_set(int width, std::vector<bool> has) : width_(width), has_(std::move(has)) {}
  bool has(int column, int row) const {
    return has_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(column)];
  }

 private:
  int width_;
  std::vector<bool> has_;
};

/// Rays of a block. The block is visible in the pixels `own` of `frame`.
struct caster {
  const view& from;
  pixel_box own, frame;
  double step;
  const tube_hits* tubes = nullptr;  ///< hits of tubes for at least all pixels of `own`; null without tubes
  bool ignores_tubes = false;        ///< true: cast rays only in pixels that tubes cover partially, and ignore the tubes
  std::array<double, 2> offset{};    ///< offset in pixels between the rays of a surface and the centres of pixels
  const pixel_set* only = nullptr;   ///< pixels in which rays of a surface are cast; null: all pixels

  /// Upper limit for the end of the ray of a pixel [mm].
  double end(int column, int row) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (!tubes) return infinite;
    const tube_hit& hit = tubes->at(column, row);
    return !ignores_tubes ? hit.t : hit.share > 0 && hit.share < 1 ? infinite : -infinite;
  }

  std::size_t place(int column, int row) const {
    return static_cast<std::size_t>((row - frame.top) * frame.width() + column - frame.left);
  }
  kernel::ray ray(int column, int row) const {
    kernel::ray result = from.ray_through(column, row);
    result.entry += stagger(column, row) * step;
    result.exit = std::min(result.exit, end(column, row));
    return result;
  }
};

/// Colours of the values of a layer.
class colours {
 public:
  explicit colours(const layer& look)
      : table_(tabulate(look.transfer, 1, 1)),
        last_(static_cast<double>(table_.entries.size() - 1)),
        low_(table_.low),
        range_(static_cast<double>(table_.high) - low_) {}

  /// Colour at a fraction of the range of values. 0 is the smallest value, and 1 is the largest value.
  const std::array<float, 4>& share(double at) const {
    return table_.entries[static_cast<std::size_t>(std::clamp(at, 0.0, 1.0) * last_)];
  }
  const std::array<float, 4>& value(double v) const { return share(range_ > 0 ? (v - low_) / range_ : 1); }

 private:
  kernel::transfer_table table_;
  double last_, low_, range_;
};

/// Pixels that receive the results of rays, in the pixel format of compositing. The shape is (frame.height, frame.width).
struct ray_target {
  kernel::pixel_format format;
  std::byte* pixels;
  void put(std::size_t i, const kernel::wide_pixel& p) const { kernel::store(format, pixels + i * format.bytes(), p); }
};

/// Cast rays as if no other block were in front of the block, and compute the optical depths.
/// @return number of samples @collective local
std::int64_t cast_block(const kernel::march_volume& volume, const caster& rays, const ray_target& pixels,
                        std::vector<kernel::optical_depth>& depth);

/// Repeat the rays with a non-zero optical depth in front of the block. Rays that end in front of the block become empty.
/// @return number of samples @collective local
std::int64_t cast_again(const kernel::march_volume& volume, const caster& rays,
                        const std::vector<kernel::optical_depth>& before, const ray_target& pixels);

/// Cast rays into the empty `pixels`.
///
/// A ray ends when almost no light remains. The light of a ray at the entry into a block depends on other ranks. Each rank
/// therefore first casts all rays as if no other block were in front of its block. Each rank then repeats the few rays that
/// enter from other blocks and end in its block.
/// @param order ranks in front-to-back order @return number of samples @collective on comm
std::int64_t cast_all(MPI_Comm comm, const std::vector<int>& order, const kernel::march_volume& volume, const caster& rays,
                      const ray_target& pixels);

/// Cast rays on one rank into premultiplied RGBA pixels. The pixels of empty rays remain unchanged.
std::int64_t cast_alone(const kernel::march_volume& volume, const caster& rays, std::vector<std::array<float, 4>>& pixels);

/// Draw the part of a surface in this block into empty pixels. The colours are those of a layer.
/// @param solid solid that occludes light; null without occlusion @return number of samples
std::int64_t draw_surface(const caster& rays, const kernel::ray_surface& surface, const layer& look,
                          const kernel::solid_pyramid* solid, const ray_target& pixels);

struct projected {
  std::vector<float> greatest;
  std::vector<std::int64_t> sum, count;
};

/// Reduce one number per pixel to rank 0. The result has shape (frame.height, frame.width). @collective on comm
projected project_all(MPI_Comm comm, const kernel::march_volume& volume, const caster& rays, std::int64_t& samples);

/// Pixels of a frame in which a rank sorts the partial images by depth.
plan::span stripe_of(int rank, int ranks, std::int64_t pixels);

/// Sort the partial images of the blocks by depth, separately in each pixel. Each rank sends its partial images to the owner
/// of the pixel. Messages contain the positions of the images along the ray. The owner blends the partial images. Rays that
/// become opaque inside a block are repeated with the optical depth in front of the block. The picture is therefore bitwise
/// equal to the result of cast_all() with a visibility order.
/// @param owned box of the block
/// @param pixels partial image of the block; on return, the stripe of this rank contains the image of all blocks
/// @param depth optical depth of the block in each pixel; empty for opaque content such as a surface
/// @param cast_again function that repeats rays into `pixels`; for rays that end in the block, its argument is the depth in
/// front of the
///        block, and 0 for other rays
/// @collective on comm
void join_by_depth(MPI_Comm comm, const box3& owned, const caster& rays, std::vector<kernel::wide_pixel>& pixels,
                   const std::vector<kernel::optical_depth>& depth,
                   const std::function<void(const std::vector<kernel::optical_depth>&)>& cast_again);

}  // namespace osteon::render
