#pragma once
/// @file
/// Ambient occlusion and shadow at a surface point by the surrounding solid.
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

/// Solid fractions of cells, and of blocks of 2^3, 4^3, ... of them. Space outside of the cells is empty.
///
/// Light is gathered by cones: samples along the axis of a cone use blocks as large as the width of the cone, and each
/// transmits the void fraction. @cite [Crassin2011]
///
/// A sample next to a plane overlaps the solid behind the plane, which would darken it. Therefore only the solid fraction in
/// excess of that of the tangent plane through the point counts: planes and convex bodies are fully lit.
class solid_pyramid {
 public:
  solid_pyramid();
  /// @param cells number of cells @param cell_mm edges of a cell
  /// @param share solid fraction of each cell, 0 .. 255, shape `cells`
  /// @cost 4.6 bytes per cell and those of its surface
  solid_pyramid(index3 cells, vector3 cell_mm, std::span<const std::uint8_t> share);

  solid_pyramid(solid_pyramid&&) noexcept;
  solid_pyramid& operator=(solid_pyramid&&) noexcept;
  ~solid_pyramid();

  /// Visible fraction of the sky, weighted by the cosine to the normal, 0 to 1, from those of 20 cones that are in front of
  /// the point.
  /// @param point mm @param normal unit vector in mm space
  /// @param reach mm; the effect of solid decreases with distance and vanishes beyond
  double sky(const vector3& point, const vector3& normal, double reach, std::span<const half_space> cut = {}) const;

  /// Visible fraction of a lamp, a disc with a diameter of 8 degrees. @param toward unit vector in mm space
  double lamp(const vector3& point, const vector3& normal, const vector3& toward,
              std::span<const half_space> cut = {}) const;

  std::size_t bytes() const;

 private:
  struct level {
    index3 cells;
    vector3 per_mm;
    double edge;         // the longest, mm
    std::int64_t first;  // of its words
  };
  struct cones;
  struct shadow_steps;
  std::vector<std::uint8_t> add_level(index3 cells, vector3 edge, std::vector<std::uint8_t> share);
  void list_steps();

  std::vector<level> levels_;
  // For each cell of a level, and the empty ones before it: the shares of the cell and of its next ones along x, y, and
  // both.
  std::vector<std::uint32_t> words_;
  std::vector<shadow_steps> steps_;
};

}  // namespace osteon::kernel
