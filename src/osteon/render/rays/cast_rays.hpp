#pragma once
/// @file
/// Ray casting of one block, and compositing of blocks without a visibility order by sorting each pixel separately.
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

/// A light over the viewer's left shoulder: faces seen at an angle differ in brightness.
kernel::lighting light_of(const view& from);

/// Subset of the pixels of a picture.
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

/// Rays of a block, whose image is in the pixels `own` of `frame`.
struct caster {
  const view& from;
  pixel_box own, frame;
  double step;
  const tube_hits* tubes = nullptr;  ///< hits in at least `own`; null: no tubes
  bool passes_by = false;            ///< rays of pixels that tubes cover in part, instead of those that end at a tube
  std::array<double, 2> beside{};    ///< surface: offset of the ray from the centre of a pixel, in pixels
  const pixel_set* only = nullptr;   ///< surface: pixels with cast rays; none: all

  /// Latest end of a pixel's ray [mm].
  double end(int column, int row) const {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    if (!tubes) return infinite;
    const tube_hit& hit = tubes->at(column, row);
    return !passes_by ? hit.t : hit.share > 0 && hit.share < 1 ? infinite : -infinite;
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

/// Colours of the values that a layer may have.
class colours {
 public:
  explicit colours(const layer& look)
      : table_(tabulate(look.transfer, 1, 1)),
        last_(static_cast<double>(table_.entries.size() - 1)),
        low_(table_.low),
        range_(static_cast<double>(table_.high) - low_) {}

  /// @param at 0 for the smallest value, 1 for the largest
  const std::array<float, 4>& share(double at) const {
    return table_.entries[static_cast<std::size_t>(std::clamp(at, 0.0, 1.0) * last_)];
  }
  const std::array<float, 4>& value(double v) const { return share(range_ > 0 ? (v - low_) / range_ : 1); }

 private:
  kernel::transfer_table table_;
  double last_, low_, range_;
};

/// Target pixels of rays, shape (frame.height, frame.width), in the format of compositing.
struct ray_target {
  kernel::pixel_format format;
  std::byte* pixels;
  void put(std::size_t i, const kernel::wide_pixel& p) const { kernel::store(format, pixels + i * format.bytes(), p); }
};

/// Cast rays as if the block were the first one, and return their optical depths.
/// @return number of samples @collective local
std::int64_t cast_block(const kernel::march_volume& volume, const caster& rays, const ray_target& pixels,
                        std::vector<kernel::optical_depth>& depth);

/// Cast rays with non-zero depth before the block again; rays that end before the block are empty.
/// @return number of samples @collective local
std::int64_t cast_again(const kernel::march_volume& volume, const caster& rays,
                        const std::vector<kernel::optical_depth>& before, const ray_target& pixels);

/// Cast rays into the empty `pixels`.
///
/// Rays end when almost no light remains, but a block does not know the remaining light of an entering ray. So each casts as
/// if it were the first block, and repeats the few rays that come from others and end in this block.
/// @param order the ranks, front to back @return number of samples @collective on comm
std::int64_t cast_all(MPI_Comm comm, const std::vector<int>& order, const kernel::march_volume& volume, const caster& rays,
                      const ray_target& pixels);

/// The same on one rank: image of each pixel's ray, premultiplied red, green, blue and opacity. Pixels with empty rays
/// remain unchanged.
std::int64_t cast_alone(const kernel::march_volume& volume, const caster& rays, std::vector<std::array<float, 4>>& pixels);

/// Draw the block's part of a surface in the colours of a layer, into empty pixels.
/// @param solid solid between a point and the light; null: none @return number of samples
std::int64_t draw_surface(const caster& rays, const kernel::ray_surface& surface, const layer& look,
                          const kernel::solid_pyramid* solid, const ray_target& pixels);

struct projected {
  std::vector<float> greatest;
  std::vector<std::int64_t> sum, count;
};

/// Reduce one number per pixel to rank 0, shape (frame.height, frame.width). @collective on comm
projected project_all(MPI_Comm comm, const kernel::march_volume& volume, const caster& rays, std::int64_t& samples);

/// Pixels of a frame that are sorted by a rank.
plan::span stripe_of(int rank, int ranks, std::int64_t pixels);

/// Send the image of each block in a pixel, with its position along the ray, to the owner of the pixel, and blend it there.
/// Rays that become opaque inside a block are cast again with their depth, as with a visibility order: the picture is
/// bitwise equal.
/// @param owned box of the block
/// @param pixels image of the block in each pixel of the frame; afterwards the image of all blocks, in this rank's stripe
/// @param depth optical depth of the block by pixel; empty for opaque content (a surface)
/// @param cast_again casts rays with non-zero depth before the block that end within the block again into `pixels`
/// @collective on comm
void join_by_depth(MPI_Comm comm, const box3& owned, const caster& rays, std::vector<kernel::wide_pixel>& pixels,
                   const std::vector<kernel::optical_depth>& depth,
                   const std::function<void(const std::vector<kernel::optical_depth>&)>& cast_again);

}  // namespace osteon::render
