#pragma once
/// @file
/// Volume ray marching through the voxels of one block. The picture composited from all blocks is bitwise independent of the
/// decomposition (see ray_segments.hpp).
#include <array>
#include <limits>
#include <osteon/kernel/blend/wide_pixel.hpp>
#include <osteon/kernel/rays/occupied_cells.hpp>
#include <osteon/kernel/rays/surface_light.hpp>
#include <span>
#include <vector>

namespace osteon::kernel {

/// A look-up table of linear RGB, not premultiplied, and of the opacity of one step, for values in [low, high]. Values
/// outside use the first or last entry.
struct transfer_table {
  float low = 0, high = 1;
  std::vector<std::array<float, 4>> entries;  ///< at least two
};

/// A field and its appearance. NaN means empty: a sample with NaN neighbours interpolates between the other neighbours, and
/// its opacity is multiplied by the sum of their weights.
struct march_layer {
  const float* values = nullptr;  ///< values of the present voxels
  transfer_table transfer;
  bool shaded = false;
  float emission = 1;  ///< emission in units of the colour
};

/// Optical depth of a ray; 4096 units halve the light. As an integer, the depth is exactly additive along the ray and
/// independent of the division into blocks.
using optical_depth = std::uint16_t;
/// Optical depth at which rays end. Less than 1/1024 of the light remains at this depth. A fraction of 1/1024 is a quarter
/// of the smallest step of eight bits.
inline constexpr optical_depth opaque_depth = 10 << 12;
/// Sum of the depths of two parts of a ray.
inline optical_depth deeper(optical_depth a, optical_depth b) {
  return static_cast<optical_depth>(std::min<std::uint32_t>(std::uint32_t{a} + b, 0xffff));
}

/// Statistics of the field along a ray. Maxima and sums of integers are independent of the division into blocks.
struct projection {
  float greatest = -std::numeric_limits<float>::infinity();
  std::int64_t sum = 0;    ///< sum of the values, in units of the transfer function's range / 2^24
  std::int64_t count = 0;  ///< number of samples with a value
};

/// A ray and the contribution of a block to its pixel.
struct travel {
  ray along;
  /// Optical depth in front of the block. If this depth is unknown, a ray that ends in the block may be marched too far; the
  /// caller then marches the ray again (render/picture.cpp).
  optical_depth before = 0;
  optical_depth depth = 0;  ///< optical depth in the block; `before` + `depth` is at least opaque_depth if the ray ends
  wide_pixel result;        ///< accumulated result
};

/// The block's part of a volume, prepared for marching.
class march_volume {
 public:
  static constexpr int most_layers = 4;

  /// @param step_voxels step in units of the finest spacing
  /// @param present voxels of the layers' values: owned voxels and ghosts_needed() voxels on every side, within the domain
  /// @param layers at most most_layers
  /// @cost one pass over the values, 1/32 byte per voxel
  march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels, lighting light,
               std::vector<march_layer> layers);

  march_volume(march_volume&&) = default;

  /// Set the light. Other prepared data do not depend on the light.
  void light_by(const lighting& light);

  /// Add the contribution of the block to each ray. Pass adjacent rays in one call. Adjacent rays read the same voxels, and
  /// computations of one ray hide the memory latency of the others. The result does not depend on the grouping.
  /// @param samples number of interpolated samples
  void march(std::span<travel> rays, std::int64_t& samples) const;

  /// Add the values of the first layer along the ray in the block.
  void project(const ray& along, projection& result, std::int64_t& samples) const;

 private:
  using colour_entry = std::array<float, 4>;
  // A layer with data derived from its table.
  struct layer {
    march_layer settings;
    float scale;                      // entries per unit of value
    float visible_low, visible_high;  // values at or outside of these limits are invisible
    // Emission and opacity of each entry. The last entry is stored twice, for interpolation at the largest value.
    std::vector<colour_entry> table;
    float last;  // index of the last entry
  };
  struct appearance;
  struct packet;
  static void accumulate(packet& p);

  void march_packet(packet& p, std::int64_t& samples) const;
  void find_segments(packet& p) const;
  void place_samples(packet& p, std::int64_t& samples) const;
  void interpolate(std::size_t number, packet& p) const;
  void evaluate(const layer& source, const packet& p, int s, appearance& result) const;
  void evaluate(std::size_t number, packet& p) const;
  template <bool Lit>
  static float4 blend_layers(const appearance& seen, const colour_entry* table);
  static float4 blend_layers(std::span<const appearance* const> seen, std::span<const colour_entry* const> tables);
  void blend_one_layer(packet& p) const;
  void find_slopes(std::size_t number, packet& p) const;
  void illuminate(std::size_t number, packet& p) const;
  void blend_samples(packet& p) const;
  void find_empty_space(const box3& owned, const box3& present, int margin);

  std::vector<std::vector<float>> repeated_;  // values of a thin domain, with repeated end values
  bool shaded_ = false;                       // true if any layer is shaded
  ray_segments segments_;
  float inverse_spacing_[3], light_[3], half_way_[3];  // z, y, x; spacing relative to the finest spacing
  std::vector<layer> layers_;
  occupied_cells visible_;
  // Work in a macro cell. Bit 2 i is set if layer i may be visible. Bit 2 i + 1 is set if the values of layer i differ;
  // shading is then required.
  std::vector<std::uint8_t> to_do_;
};

}  // namespace osteon::kernel
