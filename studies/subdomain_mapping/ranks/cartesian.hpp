#pragma once
/// @file
/// A uniform grid that is divided into p_z x p_y x p_x boxes.
#include <array>
#include <osteon/base/box.hpp>

namespace osteon::studies {

/// One of the six faces of a box. The face is described by its axis, and by a flag for the upper face.
struct face {
  int axis;
  bool upper;
  /// The number of the face, from 0 to 5. The two opposite faces of axis a have the numbers 2 a and 2 a + 1.
  int number() const { return 2 * axis + (upper ? 1 : 0); }
  face opposite() const { return {axis, !upper}; }
};
inline constexpr std::array<face, 6> faces{{{0, false}, {0, true}, {1, false}, {1, true}, {2, false}, {2, true}}};

/// Assignment of boxes of a grid to ranks. Boxes and ranks are counted along x first.
class cartesian {
 public:
  /// @param cells number of cells of the grid (z, y, x) @param ranks number of ranks along each axis
  /// @throws usage_error if an axis has more ranks than cells, or if a number is not positive
  cartesian(index3 cells, index3 ranks);

  index3 cells() const { return cells_; }
  index3 ranks() const { return ranks_; }
  index3 place_of(int rank) const;
  /// Boxes differ by at most one cell along each axis.
  box3 box_of(int rank) const;
  /// The rank beyond a face, or -1 at the end of the grid.
  int neighbour(int rank, face side) const;
  /// Number of cells that a rank sends through a face. The number is 0 at the end of the grid.
  std::int64_t cells_of(int rank, face side) const;

 private:
  index3 cells_, ranks_;
};

}  // namespace osteon::studies
