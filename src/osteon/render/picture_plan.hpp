#pragma once
/// @file
/// What ranks send for a picture of their blocks.
#include <osteon/grid/block.hpp>
#include <osteon/render/picture.hpp>

namespace osteon::render {

/// Count what a picture of a volume or of a surface sends between ranks, without drawing it: ghosts of its two fields and
/// the compositing of wide pixels, as `render` does it for blocks that are the boxes of a tree. Rows of the finished picture
/// go to their ranks by an all-to-all of MPI, which is not counted.
/// @param what its layers need no fields @collective local, of virtual ranks (comm/virtual_ranks.hpp)
void rehearse_picture(const grid::block& where, const scene& what);

}  // namespace osteon::render
