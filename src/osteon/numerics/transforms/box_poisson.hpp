#pragma once
/// @file
/// Direct solver for Poisson's equation on all voxels of a box, by fast transforms.
#include <array>
#include <osteon/base/box.hpp>
#include <osteon/numerics/transforms/cut_lines.hpp>
#include <vector>

namespace osteon::numerics {

/// A box of cells. The z planes of the box are distributed over ranks.
struct poisson_box {
  MPI_Comm comm = MPI_COMM_NULL;          ///< borrowed
  index3 shape;                           ///< cells of all ranks
  std::vector<std::int64_t> planes;       ///< first plane of each rank, and shape.z; each rank has at least one plane
  std::array<kernel::line_ends, 3> ends;  ///< by axis
  std::array<double, 3> weight{};         ///< by axis, > 0
  std::vector<std::int32_t> row;          ///< per (own plane, y): number of its first cell in a vector
};

/// Solves the equation: sum over the axes of weight (2 x_i - x_(i-1) - x_(i+1)) = f. The end conditions define the values
/// beyond the ends.
///
/// The operator is a sum of one-dimensional operators. After transforms along x and y, each pair of modes has an independent
/// system along z [BuzbeeGolubNielson1970]. All computations are in double precision. If no end prescribes x, the mean of f
/// must be zero, and the mean of x is arbitrary.
class box_poisson {
 public:
  /// @throws usage_error for an axis that is periodic at one end only @collective on box.comm
  explicit box_poisson(poisson_box box);

  /// @param right, solution in the numbering of box.row; may be the same array @collective
  void solve(const double* right, double* solution);

  /// Work of solve() on this rank.
  kernel_work work() const;

 private:
  struct scratch {
    std::vector<double> plane;
    std::vector<kernel::complex_lanes> lines, work;
  };
  template <class Body>
  void over_planes(const Body& body) const;
  std::vector<double> by_column(bool is_scale) const;

  poisson_box box_;
  kernel::trigonometric_transform along_y_, along_x_;
  std::int64_t own_, width_, columns_;  // planes; stride of a row and of a plane with padding
  cut_lines along_z_;
  std::vector<double> modes_;  // shape (own_, columns_)
};

}  // namespace osteon::numerics
