#pragma once
/// @file
/// Compositing of fragments into one picture. The fragments may have any depth, and may be on any rank.
#include <mpi.h>

#include <osteon/compositing/frame_report.hpp>
#include <studies/compositing/fragments/fragments.hpp>
#include <vector>

namespace osteon::studies {

struct fragment_picture {
  std::vector<float> rgba;    ///< shape (pixels, 4) on the root; empty on other ranks
  std::int64_t overlaps = 0;  ///< number of overlaps, summed over all ranks (blend_fragments)
  compositing::frame_report report;
};

/// Send each fragment to the owner of its pixel, blend the fragments, and collect the pixels at the root. The ranks own
/// equal stripes. The picture does not depend on the number of ranks.
/// @throws data_error for a fragment that is outside of the picture, has no depth, has its back in front of its front, or is
/// not premultiplied
/// @throws usage_error for a negative number of pixels, an invalid root, or more than 2^31 - 1 fragments between two ranks
/// @collective on comm
fragment_picture composite_fragments(MPI_Comm comm, std::vector<fragment> fragments, std::int64_t pixels, int root);

}  // namespace osteon::studies
