#pragma once
/// @file
/// Compositing of fragments at any depth, on any rank, to one picture.
#include <mpi.h>

#include <osteon/compositing/frame_report.hpp>
#include <studies/compositing/fragments/fragments.hpp>
#include <vector>

namespace osteon::studies {

struct fragment_picture {
  std::vector<float> rgba;    ///< shape (pixels, 4) on the root, empty elsewhere
  std::int64_t overlaps = 0;  ///< sum over all ranks: see blend_fragments
  compositing::frame_report report;
};

/// Send each fragment to the rank that owns its pixel (the ranks own equal stripes), blend, and collect at the root. The
/// picture does not depend on the number of ranks.
/// @throws data_error for a fragment outside the picture, without a depth, with its back before its front, or that is not
/// premultiplied
/// @throws usage_error for a negative number of pixels, an invalid root, or more than 2^31 - 1 fragments between two
/// ranks
/// @collective on comm
fragment_picture composite_fragments(MPI_Comm comm, std::vector<fragment> fragments, std::int64_t pixels, int root);

}  // namespace osteon::studies
