#pragma once
/// @file
/// Cell fields with the neighbours' planes.
#include <osteon/grid/block.hpp>
#include <vector>

namespace osteon::grid {

/// A dense field over the planes of a block and up to `depth` planes of each neighbour side, shape
/// (end - begin, domain.y, domain.x). At the domain's ends there are fewer planes, never invented ones.
template <class T>
struct ghosted_field {
  std::int64_t begin = 0, end = 0;  ///< global z planes that are present
  std::vector<T> values;
};

/// Extend `owned` by up to `depth` planes on each side.
/// @param owned shape (owned planes, domain.y, domain.x) of `where`
/// @collective on where.comm; ranks may own fewer than `depth` planes
/// @cost one exchange with the ranks that own the planes, depth planes of T each way
template <class T>
ghosted_field<T> with_ghost_planes(const block& where, const std::vector<T>& owned, int depth);

extern template ghosted_field<float> with_ghost_planes(const block&, const std::vector<float>&, int);
extern template ghosted_field<std::uint8_t> with_ghost_planes(const block&, const std::vector<std::uint8_t>&, int);

}  // namespace osteon::grid
