#pragma once
/// @file
/// The walls of a fluid: faces of voxels, and the smooth surface that the faces represent.
#include <array>
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/comm/neighbours.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/run_set.hpp>
#include <vector>

namespace osteon::physics {

/// Faces of voxels between the fluid and its walls, linked across their common edges.
///
/// The area of voxel stairs is larger than the area of the represented surface, at any resolution. The ratio of the areas
/// is 4 / pi for a round pipe and 3 / 2 for a ball. A face of area a and direction e represents the area |n . e| a of the
/// smooth surface. The normal n of the smooth surface is the average of the area vectors of nearby faces along the
/// surface. For planes of all directions, the sum of these areas equals the exact area to 0.7 %. @cite
/// [LachaudThibert2016]
///
/// Edges of flat walls (a duct, a block, a plate) have no link. Flat walls therefore keep their normals and their whole
/// area. An edge belongs to stairs if an adjacent run of one or two faces ends at an edge with the opposite bend.
class wall_surface {
 public:
  /// Values for each face, averaged together.
  using values = std::vector<std::array<double, 4>>;
  /// Value instead of wall bits: the voxel is not part of the fluid, and the surface ends at this voxel.
  static constexpr std::uint8_t ends_here = 1U << 6;

  /// @param where of the block @param wet voxels of the fluid, in coordinates of the block
  /// @param walls by number of a wet voxel; bit d is set if side d is a wall, d = 2 axis + (1 on the high face)
  /// @collective on where.comm
  /// @cost 8 bytes per voxel of the block and of four layers around it during construction; 48 bytes per face
  wall_surface(const grid::block& where, const voxel::run_set& wet, const std::vector<std::uint8_t>& walls,
               const vector3& spacing_mm);

  /// Number of owned faces; ghost faces follow the owned faces.
  std::int32_t owned() const { return owned_; }
  /// Number of owned faces and ghosts.
  std::size_t size() const { return size_; }
  /// Number of a face. @param cell number of a wet voxel @param side side of the voxel with a wall
  std::int32_t find(std::int32_t cell, std::size_t side) const;
  /// Area of the smooth surface represented by an owned face [mm2].
  double area_mm2(std::int32_t face) const;
  /// Total area [mm2], equal for any number of ranks. For flat walls the total is exactly the area of the faces.
  /// @collective
  double total_area_mm2() const;
  /// Unit normal of the smooth surface (z, y, x), out of the fluid.
  const std::array<float, 3>& normal(std::int32_t face) const { return normal_[static_cast<std::size_t>(face)]; }
  /// 1 next to stairs, 0 on a flat wall far from stairs.
  double roughness(std::int32_t face) const { return roughness_[static_cast<std::size_t>(face)]; }
  /// Average values along the surface, over about three faces on either side. The averages preserve sums over the surface.
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
  std::vector<place> places_;                        // places of owned faces, by cell and side
  std::vector<std::array<std::int32_t, 4>> linked_;  // links of owned faces; -1: no link
  std::vector<std::array<float, 3>> normal_;         // normals of owned faces
  std::vector<float> roughness_;
  std::array<double, 3> face_mm2_{};
  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable comm::neighbours ghosts_;
};

}  // namespace osteon::physics
