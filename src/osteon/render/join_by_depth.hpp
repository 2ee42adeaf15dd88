#pragma once
/// @file
/// Pictures of blocks that no order of visibility fits: each pixel is put in order by itself.
#include <functional>
#include <osteon/plan/plan.hpp>
#include <osteon/render/cast_rays.hpp>

namespace osteon::render {

/// The pixels of a frame that a rank puts in order.
plan::span stripe_of(int rank, int ranks, std::int64_t pixels);

/// Send what each block shows of a pixel, with its place along the ray, to the rank that owns the pixel, and blend it there.
/// Rays that have become opaque before they leave a block get their depth and are cast again, as where there is an order:
/// the picture has the same bits.
/// @param owned the block's box
/// @param pixels what the block shows of each pixel of the frame; afterwards what all blocks show, in this rank's stripe
/// @param depth how deep a block makes a ray, by pixel; none where what is seen hides all behind it (a surface)
/// @param cast_again casts rays again into `pixels` whose depth before the block is not 0 and that end within the block
/// @collective on comm
void join_by_depth(MPI_Comm comm, const box3& owned, const caster& rays, std::vector<kernel::wide_pixel>& pixels,
                   const std::vector<kernel::optical_depth>& depth,
                   const std::function<void(const std::vector<kernel::optical_depth>&)>& cast_again);

}  // namespace osteon::render
