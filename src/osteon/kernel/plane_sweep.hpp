#pragma once
/// @file
/// Products that process a mesh plane by plane. The values of a plane of nodes are used while they are in cache.
#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace osteon::kernel {

/// Process planes of bricks with OpenMP threads. Brick plane z has nodes in the node planes z and z + 1.
///
/// A thread processes blocks of up to eight planes, because half of the nodes of the next plane are already in cache. The
/// first plane of a block shares nodes with the previous block. Several threads process these planes after all blocks; the
/// order of the two contributions to a node therefore does not depend on the number of threads.
/// @param clear clear(k) sets the values of node plane k to zero
/// @param set_and_add set_and_add(z) sets the values of node plane z + 1 and adds to node plane z
/// @param add add(z) adds to both node planes
/// @param complete complete(k) is called once for each node plane, after all products at its nodes. No product reads or
/// writes these nodes later. Threads call `complete` for different planes at the same time.
template <class Clear, class SetAndAdd, class Add, class Complete>
void sweep_planes(std::int64_t planes, Clear clear, SetAndAdd set_and_add, Add add, Complete complete) {
  const std::int64_t block = std::clamp<std::int64_t>(planes / 8, 2, 8);
  const std::int64_t blocks = (planes + block - 1) / block;
  const auto add_first_plane_of = [&](std::int64_t b) {
    add(b * block);
    complete(b * block);
    complete(b * block + 1);
  };
#pragma omp parallel
  {
    // A single thread adds contributions in the same order with and without the deferral of first planes. Without deferral,
    // the nodes are in cache.
    const bool is_alone = omp_get_num_threads() == 1;
#pragma omp for schedule(dynamic)
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t first = b > 0 ? b * block + 1 : 0, end = std::min(planes, (b + 1) * block);
      clear(first);
      if (first < end) set_and_add(first);
      if (b == 0) complete(0);
      if (is_alone && b > 0) add_first_plane_of(b);
      for (std::int64_t z = first + 1; z < end; ++z) {
        set_and_add(z);
        complete(z);
      }
      if (end == planes && first < end) complete(planes);
    }
#pragma omp for schedule(dynamic)
    for (std::int64_t b = 1; b < blocks; ++b)
      if (!is_alone) add_first_plane_of(b);
  }
}

}  // namespace osteon::kernel
