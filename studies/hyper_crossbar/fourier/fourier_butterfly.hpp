#pragma once
/// @file
/// Fourier transforms by butterflies between ranks. The data are not redistributed.
#include <studies/hyper_crossbar/fourier/fourier.hpp>
#include <studies/hyper_crossbar/fourier/fourier_3d.hpp>
#include <studies/hyper_crossbar/fourier/fourier_parts.hpp>

namespace osteon::studies {

/// Every rank has a box. An axis with n points is distributed over Q = 2^q ranks. The first q stages of the transform are
/// between ranks. In each of these stages, a rank exchanges all its data with a partner. The remaining stages transform the
/// n / Q consecutive points of each rank. After the transform, rank r of the axis has the modes k = j Q + (r with its q bits
/// reversed), with j = 0, 1 ...
/// @cite [Itakura]: the fixed scheme of FT
class fourier_butterfly : public fourier_3d {
 public:
  /// Numbers of ranks along (z, y, x). The numbers are powers of two with the product `ranks`, and the boxes are as cubic as
  /// possible.
  /// @throws usage_error if there are no such numbers; the message contains the nearest valid numbers of ranks
  static index3 choose_grid(index3 shape, int ranks);

  /// @collective on comm
  fourier_butterfly(MPI_Comm comm, index3 shape, const fourier_options& options);

  void forward() override;
  void backward(const mode_weights& weights) override;

 private:
  // Stage s along an axis. In stage s, the numbers of two partners along the axis differ by Q / 2^(s + 1).
  void stage(int axis, int s, fourier_direction direction);
  void transform(int axis, fourier_direction direction);
  complex* line(complex* array, std::int64_t z, std::int64_t y) const { return array + z * plane_ + y * row_; }

  index3 grid_, place_, local_;
  std::array<fourier_plan, 3> plans_;
  complex_array points_memory_, modes_memory_, arrived_;
};

}  // namespace osteon::studies
