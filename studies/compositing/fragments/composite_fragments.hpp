#pragma once
/// @file
/// Compositing of fragments to one picture. The fragments may have any depth and may be on any rank.
#include <mpi.h>

#include <osteon/compositing/frame_report.hpp>
#include <studies/compositing/fragments/fragments.hpp>
#include <vector>

namespace osteon::studies {

struct fragment_picture {
  std::vector<float> rgba;    ///< shape (pixels, 4) on the root, empty elsewhere
  std::int64_t overlaps = 0;  ///< sum of the overlaps of all ranks (blend_fragments)
  compositing::frame_report report;
};

/// Send each fragment to the rank that owns its pixel (the ranks own equal stripes), blend the fragments, and collect the
/// pixels at the root. The picture does not depend on the number of ranks.
/// @throws data_error for a fragment that is outside the picture, has no depth, has its back before its front, or is not
/// premultiplied
/// @throws usage_error for a negative number of pixels, an invalid root, or more than 2^31 - 1 fragments between two
/// ranks
/// @collective on comm
fragment_picture composite_fragments(MPI_Comm comm, std::vector<fragment> fragments, std::int64_t pixels, int root);

}  // namespace osteon::studies
