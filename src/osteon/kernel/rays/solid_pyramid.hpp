#pragma once
/// @file
/// How much of the sky and of a lamp a point of a surface sees past the solid around it.
#include <cstdint>
#include <osteon/base/box.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// A half-space in mm: the points p with normal . p > offset are cut away.
struct half_space {
  vector3 normal;  ///< unit vector
  double offset = 0;
};

/// Shares of solid in cells, and in blocks of 2^3, 4^3, ... of them. Outside of the cells there is no solid.
///
/// Light is gathered by cones: along a cone's axis samples are taken of the blocks that are as large as the cone is wide
/// there, and each lets through what it has no solid for. @cite [Crassin2011]
///
/// A sample beside a plane reaches into the solid behind it, and would darken the plane by its own solid. So a sample counts
/// what it has beyond the share that the plane through the point would have there: planes and convex bodies are in full
/// light.
class solid_pyramid {
 public:
  solid_pyramid();
  /// @param cells their number @param cell_mm their edges
  /// @param share of solid in each, 0 .. 255, shape `cells`
  /// @cost 4.6 bytes a cell and those of its surface
  solid_pyramid(index3 cells, vector3 cell_mm, std::span<const std::uint8_t> share);

  solid_pyramid(solid_pyramid&&) noexcept;
  solid_pyramid& operator=(solid_pyramid&&) noexcept;
  ~solid_pyramid();

  /// The share of the sky that a point sees, by the cosine to its normal, 0 to 1: those of 20 cones that lie in front of it.
  /// @param point mm @param normal unit vector in mm space
  /// @param reach mm; solid counts the less, the farther away it is, and none beyond
  double sky(const vector3& point, const vector3& normal, double reach, std::span<const half_space> cut = {}) const;

  /// The share of a lamp that a point sees: a disc of a diameter of 8 degrees. @param toward unit vector in mm space
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
