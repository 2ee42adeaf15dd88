#pragma once
/// @file
/// Ambient occlusion and shadow at surface points by the surrounding solid.
#include <cstdint>
#include <osteon/base/box.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// Clipping half-space in mm: points p with normal . p > offset are removed.
struct half_space {
  vector3 normal;  ///< unit vector
  double offset = 0;
};

/// Solid fractions of cells, and of blocks of 2^3, 4^3, ... cells. Space outside of the cells is empty.
///
/// Light arrives along cones. Samples along the axis of a cone use blocks as large as the width of the cone. Each sample
/// transmits the void fraction of its block. @cite [Crassin2011]
///
/// Samples next to a plane overlap the solid behind the plane; this overlap would darken the plane. Therefore the solid
/// fraction behind the tangent plane through the point is subtracted from the sampled fraction. Planes and convex bodies are
/// then fully lit.
class solid_pyramid {
 public:
  solid_pyramid();
  /// @param cells number of cells @param cell_mm edges of a cell
  /// @param share solid fraction of each cell, 0 .. 255, shape `cells`
  /// @cost 4.6 bytes per cell, including the empty cells at the boundary
  solid_pyramid(index3 cells, vector3 cell_mm, std::span<const std::uint8_t> share);

  solid_pyramid(solid_pyramid&&) noexcept;
  solid_pyramid& operator=(solid_pyramid&&) noexcept;
  ~solid_pyramid();

  /// Visible fraction of the sky in [0, 1], weighted by the cosine of the angle to the normal. The fraction is computed from
  /// those cones of a set of 20 that are in front of the tangent plane.
  /// @param point mm @param normal unit vector in mm space
  /// @param reach distance [mm] at which the decreasing effect of solid vanishes
  double sky(const vector3& point, const vector3& normal, double reach, std::span<const half_space> cut = {}) const;

  /// Visible fraction of a lamp, a disc with a diameter of 8 degrees. @param toward unit vector in mm space
  double lamp(const vector3& point, const vector3& normal, const vector3& toward,
              std::span<const half_space> cut = {}) const;

  std::size_t bytes() const;

 private:
  struct level {
    index3 cells;
    vector3 per_mm;
    double edge;         // longest edge of a cell [mm]
    std::int64_t first;  // index of the first word
  };
  struct cones;
  struct shadow_steps;
  std::vector<std::uint8_t> add_level(index3 cells, vector3 edge, std::vector<std::uint8_t> share);
  void list_steps();

  std::vector<level> levels_;
  // For each cell of a level, and for the empty cells before the first cell: solid fractions of the cell and of the next
  // cells along x, along y, and along both axes.
  std::vector<std::uint32_t> words_;
  std::vector<shadow_steps> steps_;
};

}  // namespace osteon::kernel
