#pragma once
/// @file
/// Fourier transforms by butterflies between ranks: the data are not redistributed.
#include <studies/hyper_crossbar/fourier/fourier.hpp>
#include <studies/hyper_crossbar/fourier/fourier_3d.hpp>
#include <studies/hyper_crossbar/fourier/fourier_parts.hpp>

namespace osteon::studies {

/// Every rank has a box. Along an axis of n points over Q = 2^q ranks, the first q stages of the transform are between
/// ranks, each a swap of all data with a partner; the rest is n / Q consecutive points in each rank. Rank r of the axis
/// then has the modes k = j Q + (r with its q bits reversed), j = 0, 1 ...
/// @cite [Itakura]: the fixed scheme of FT
class fourier_butterfly : public fourier_3d {
 public:
  /// Ranks along (z, y, x): powers of two whose product is `ranks`, with boxes as nearly cubic as possible.
  /// @throws usage_error if there are none; the message contains the nearest numbers of ranks
  static index3 choose_grid(index3 shape, int ranks);

  /// @collective on comm
  fourier_butterfly(MPI_Comm comm, index3 shape, const fourier_options& options);

  void forward() override;
  void backward(const mode_weights& weights) override;

 private:
  // Stage s along an axis: between ranks whose numbers on it differ by Q / 2^(s + 1).
  void stage(int axis, int s, fourier_direction direction);
  void transform(int axis, fourier_direction direction);
  complex* line(complex* array, std::int64_t z, std::int64_t y) const { return array + z * plane_ + y * row_; }

  index3 grid_, place_, local_;
  std::array<fourier_plan, 3> plans_;
  complex_array points_memory_, modes_memory_, arrived_;
};

}  // namespace osteon::studies
