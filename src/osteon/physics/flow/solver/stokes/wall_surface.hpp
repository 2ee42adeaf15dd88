#pragma once
/// @file
/// The walls of a fluid: faces of voxels, and the smooth surface that they represent.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::physics {

/// Faces of voxels between the fluid and its walls, linked over the edges that they share.
///
/// Stairs of voxels have more area than the surface that they represent: 4 / pi times that of a round pipe, 3 / 2 times
/// that of a ball, at any resolution. A face with the area a and the direction e has |n . e| a of the smooth surface, where
/// n is its normal: the area vectors of the faces nearby, averaged along the surface. Over planes of all directions these
/// shares sum up to the area to 0.7 %. @cite [LachaudThibert2016]
///
/// Edges of flat walls (a duct, a block, a plate) have no link, so that flat walls keep their normals and their whole area.
/// An edge belongs to stairs if a run of one or two faces beside it has an edge of the opposite turn at its other end.
class wall_surface {
 public:
  /// A value for each face, averaged together.
  using values = std::vector<std::array<double, 4>>;
  /// Instead of walls: the voxel is none of the fluid's, and the surface ends there.
  static constexpr std::uint8_t ends_here = 1U << 6;

  /// @param where of the block @param wet voxels of the fluid, in coordinates of the block
  /// @param walls by number of a wet voxel: bit d: its side d is a wall, 2 axis + (1 on the high face)
  /// @collective on where.comm
  /// @cost 8 bytes a voxel of the block and of four layers around it while it is made; 48 bytes a face
  wall_surface(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& walls,
               const vector3& spacing_mm);

  /// Owned faces; those of ghosts follow them.
  std::int32_t owned() const { return owned_; }
  /// Owned faces, and ghosts.
  std::size_t size() const { return size_; }
  /// Number of a face. @param cell number of a wet voxel @param side one that is a wall
  std::int32_t find(std::int32_t cell, std::size_t side) const;
  /// Area of the smooth surface that an owned face represents [mm2].
  double area_mm2(std::int32_t face) const;
  /// Of all faces [mm2]; of flat walls exactly the area of the faces, and the same for any number of ranks. @collective
  double total_area_mm2() const;
  /// Unit normal of the smooth surface (z, y, x), out of the fluid.
  const std::array<float, 3>& normal(std::int32_t face) const { return normal_[static_cast<std::size_t>(face)]; }
  /// 1 beside stairs, 0 on a flat wall far from stairs.
  double roughness(std::int32_t face) const { return roughness_[static_cast<std::size_t>(face)]; }
  /// Average values along the surface, over about three faces to either side; sums over the surface stay.
  /// @param all shape (size()); ghosts are filled here @collective on where.comm, among neighbours
  void smooth(values& all) const;

 private:
  class builder;
  struct place {
    std::int32_t cell;
    std::uint8_t side;
  };

  std::int32_t owned_ = 0;
  std::size_t size_ = 0;
  std::vector<place> places_;                        // of owned faces, by cell and side
  std::vector<std::array<std::int32_t, 4>> linked_;  // of owned faces; -1: none
  std::vector<std::array<float, 3>> normal_;         // of owned faces, as the rest
  std::vector<float> roughness_;
  std::array<double, 3> face_mm2_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable comm::neighbours ghosts_;
};

}  // namespace osteon::physics
