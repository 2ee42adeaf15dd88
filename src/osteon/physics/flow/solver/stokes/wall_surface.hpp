#pragma once
/// @file
/// The walls of a fluid. The walls are faces of voxels, and represent a smooth surface.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::physics {

/// Faces of voxels between the fluid and its walls. Faces are linked across their common edges.
///
/// At any resolution, the area of voxel stairs is larger than the area of the surface that the stairs represent. The ratio
/// of the two areas is 4 / pi for a round pipe, and 3 / 2 for a ball. A face with the area a and the direction e represents
/// the area |n . e| a of the smooth surface. The normal n of the smooth surface is an average along the surface of the area
/// vectors of nearby faces. For planes with any orientation, the error of the sum of these areas is at most 0.7 %. @cite
/// [LachaudThibert2016]
///
/// Across the edges of flat walls (a duct, a block, a plate), faces are not linked. Flat walls therefore keep their normals
/// and their complete area. An edge belongs to stairs if an adjacent run of one or two faces ends at an edge with the
/// opposite bend.
class wall_surface {
 public:
  /// Values of each face. All values of a face are averaged together.
  using values = std::vector<std::array<double, 4>>;
  /// Value instead of the bits of walls. The voxel is not part of the fluid, and the surface ends at the voxel.
  static constexpr std::uint8_t ends_here = 1U << 6;

  /// @param where block @param wet voxels of the fluid; coordinates are relative to the block
  /// @param walls for each number of a wet voxel: bit d is set if side d is a wall, d = 2 axis + (1 on the high face)
  /// @collective on where.comm
  /// @cost during construction: 8 bytes per voxel of the block and of four layers around the block; afterwards: 48 bytes per
  /// face
  wall_surface(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& walls,
               const vector3& spacing_mm);

  /// Number of owned faces. The ghosts follow the owned faces.
  std::int32_t owned() const { return owned_; }
  /// Number of owned faces and ghosts.
  std::size_t size() const { return size_; }
  /// Number of a face. @param cell number of a wet voxel @param side side of the voxel that is a wall
  std::int32_t find(std::int32_t cell, std::size_t side) const;
  /// Area [mm2] of the smooth surface that an owned face represents.
  double area_mm2(std::int32_t face) const;
  /// Total area [mm2]. The area is equal for any number of ranks. For flat walls, the total area is exactly the area of the
  /// faces.
  /// @collective
  double total_area_mm2() const;
  /// Unit normal (z, y, x) of the smooth surface, which points out of the fluid.
  const std::array<float, 3>& normal(std::int32_t face) const { return normal_[static_cast<std::size_t>(face)]; }
  /// 1 next to stairs, and 0 on a flat wall far from stairs.
  double roughness(std::int32_t face) const { return roughness_[static_cast<std::size_t>(face)]; }
  /// Average values along the surface over about three faces on each side of a face. The averages preserve sums over the
  /// surface.
  /// @param all values with shape (size()); the function sets the ghosts @collective on where.comm, among neighbours
  void smooth(values& all) const;

 private:
  class builder;
  struct place {
    std::int32_t cell;
    std::uint8_t side;
  };

  std::int32_t owned_ = 0;
  std::size_t size_ = 0;
  std::vector<place> places_;                        // positions of owned faces, ordered by cell and side
  std::vector<std::array<std::int32_t, 4>> linked_;  // links of owned faces; -1: no link
  std::vector<std::array<float, 3>> normal_;         // normals of owned faces
  std::vector<float> roughness_;
  std::array<double, 3> face_mm2_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable comm::neighbours ghosts_;
};

}  // namespace osteon::physics
