#pragma once
/// @file
/// Area of the smooth surface that the faces of voxels represent.
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <osteon/grid/block.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::solve {

/// A sum of areas of faces of voxels, the same for any order of the summands.
class surface_sum {
 public:
  void add(std::size_t axis, double share) { units_[axis] += std::llround(share * unit); }
  void remove(std::size_t axis, double share) { units_[axis] -= std::llround(share * unit); }
  /// Over all ranks [mm2]. @collective
  double total(MPI_Comm comm, const vector3& spacing_mm) {
    MPI_Allreduce(MPI_IN_PLACE, units_.data(), 3, MPI_INT64_T, MPI_SUM, comm);
    const double volume = spacing_mm.z * spacing_mm.y * spacing_mm.x;
    double sum = 0;
    for (int a = 0; a < 3; ++a)
      sum += static_cast<double>(units_[static_cast<std::size_t>(a)]) / unit * (volume / spacing_mm[a]);
    return sum;
  }

 private:
  static constexpr double unit = 1 << 30;  // of the share of a face
  std::array<std::int64_t, 3> units_{};
};

/// Slopes of the surface between fluid and solid, by heights of columns of voxels.
///
/// Stairs of voxels have more area than the surface that they represent, 4 / pi times that of a round pipe, at any
/// resolution. A face with the slopes p and q along its two axes counts for 1 / sqrt(1 + p^2 + q^2) of its area, which sums
/// up to the area of a plane of any direction. Edges and corners between flat walls are no slopes: a column that leaves the
/// surface by more than a voxel counts only where the surface leaves it the other way at the other end. Faces of the image
/// are flat. @cite [Cummins2005] for slopes by heights of columns
class wall_slopes {
 public:
  /// @param where of the block @param wet voxels of the fluid, in coordinates of the block
  /// @param open by number of a wet voxel: bit d: fluid passes its side d, so that the surface ends there; empty: none
  /// @collective on where.comm @cost 4 bytes a voxel of the block and of 11 layers around it
  wall_slopes(const grid::block& where, const voxel::run_set& wet, const vector3& spacing_mm,
              const std::vector<std::uint8_t>& open = {});

  /// Share of the area of a face that the smooth surface has there.
  /// @param cell number of a wet voxel in `wet` @param side of the voxel: 2 axis + (1 on the high face) @collective local
  double share(std::int32_t cell, std::size_t side) const;

 private:
  enum class voxel_kind { wet, dry, outside };
  voxel_kind kind_at(index3 voxel) const;
  bool is_open(index3 voxel, int side) const;
  double slope(index3 voxel, int axis, int outward, int along) const;

  grid::ghosted_field<float> present_;
  std::vector<voxel::run> runs_;  // by number
  index3 begin_, domain_;
  vector3 spacing_mm_;
};

}  // namespace osteon::solve
