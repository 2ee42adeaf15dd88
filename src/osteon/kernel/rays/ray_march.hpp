#pragma once
/// @file
/// Volume ray marching through the voxels of one block. The composited picture of all blocks is bitwise independent of the
/// decomposition (see ray_segments.hpp).
#include <array>
#include <limits>
#include <osteon/kernel/blend/wide_pixel.hpp>
#include <osteon/kernel/rays/occupied_cells.hpp>
#include <osteon/kernel/rays/surface_light.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// A look-up table of straight linear RGB and the opacity of one step, over [low, high] of the value; values outside use the
/// first or last entry.
struct transfer_table {
  float low = 0, high = 1;
  std::vector<std::array<float, 4>> entries;  ///< at least two
};

/// One field and its appearance. NaN is empty: a sample with some NaN neighbours interpolates between the others, and its
/// opacity is multiplied by their weight.
struct march_layer {
  const float* values = nullptr;  ///< shape of the voxels that are present
  transfer_table transfer;
  bool shaded = false;
  float emission = 1;  ///< emission in units of the colour
};

/// Optical depth of a ray, in 4096ths of a halving of its light; exactly additive along the ray, independent of the blocks.
using optical_depth = std::uint16_t;
/// Depth at which rays end: less than 1/1024 of the light remains, a quarter of the smallest step of eight bits.
inline constexpr optical_depth opaque_depth = 10 << 12;
/// Sum of the depths of two parts of a ray.
inline optical_depth deeper(optical_depth a, optical_depth b) {
  return static_cast<optical_depth>(std::min<std::uint32_t>(std::uint32_t{a} + b, 0xffff));
}

/// Statistics of the field along a ray. Maxima and sums of integers are independent of the blocks.
struct projection {
  float greatest = -std::numeric_limits<float>::infinity();
  std::int64_t sum = 0;    ///< of the values, as multiples of the transfer function's range / 2^24
  std::int64_t count = 0;  ///< samples that have a value
};

/// A ray and its image in a block.
struct travel {
  ray along;
  /// Optical depth in front of the block. If it is unknown, a ray that should end in the block is marched too far; the
  /// caller marches it again (render/picture.cpp).
  optical_depth before = 0;
  optical_depth depth = 0;  ///< of the block's part; opaque_depth or more together with `before` if the ray ends
  wide_pixel result;        ///< accumulated result
};

/// The block's part of a volume, prepared for marching.
class march_volume {
 public:
  static constexpr int most_layers = 4;

  /// @param step_voxels step in units of the finest spacing
  /// @param present voxels that the layers' values hold: the owned ones and ghosts_needed() on every side, where the
  ///        domain has them
  /// @param layers at most most_layers
  /// @cost one pass over the values, 1/32 byte per voxel
  march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels, lighting light,
               std::vector<march_layer> layers);

  march_volume(march_volume&&) = default;

  /// Move the light; other prepared data do not depend on it.
  void light_by(const lighting& light);

  /// Add the image of each ray in the block. Pass adjacent rays together: they read the same voxels, and while one waits for
  /// them, others proceed. The result does not depend on the grouping.
  /// @param samples number of interpolated samples
  void march(std::span<travel> rays, std::int64_t& samples) const;

  /// Add the values of the first layer along the ray in the block.
  void project(const ray& along, projection& result, std::int64_t& samples) const;

 private:
  using colour_entry = std::array<float, 4>;
  // A layer, and data derived from its table.
  struct layer {
    march_layer given;
    float scale;                      // entries per unit of value
    float visible_low, visible_high;  // values at or outside of these are invisible
    // Emission and opacity of each entry. The last entry is duplicated, so that interpolation is valid everywhere.
    std::vector<colour_entry> table;
    float last;  // entry
  };
  struct look;
  struct packet;
  static void accumulate(packet& p);

  void march_packet(packet& p, std::int64_t& samples) const;
  void find_segments(packet& p) const;
  void place_samples(packet& p, std::int64_t& samples) const;
  void interpolate(std::size_t number, packet& p) const;
  void look_at(const layer& what, const packet& p, int s, look& result) const;
  void look_at(std::size_t number, packet& p) const;
  template <bool Lit>
  static float4 over_each_other(const look& seen, const colour_entry* table);
  static float4 over_each_other(std::span<const look* const> seen, std::span<const colour_entry* const> tables);
  void blend_one_layer(packet& p) const;
  void find_slopes(std::size_t number, packet& p) const;
  void illuminate(std::size_t number, packet& p) const;
  void blend_samples(packet& p) const;
  void find_empty_space(const box3& owned, const box3& present, int margin);

  std::vector<std::vector<float>> repeated_;  // values of a thin domain, with those at its ends repeated
  bool shaded_ = false;                       // any layer
  ray_segments segments_;
  float inverse_spacing_[3], light_[3], half_way_[3];  // z, y, x; spacing relative to the finest
  std::vector<layer> layers_;
  occupied_cells visible_;
  // Work in a macro cell: bit 2 i, layer i may be visible; bit 2 i + 1, its values differ, so shading is required.
  std::vector<std::uint8_t> to_do_;
};

}  // namespace osteon::kernel
