#pragma once
/// @file
/// Volume ray marching through the voxels of one block, made so that the pictures of all blocks together are the same,
/// bit for bit, however the domain is dealt out to blocks (see ray_segments.hpp).
#include <array>
#include <limits>
#include <osteon/kernel/ray_segments.hpp>
#include <osteon/kernel/wide_pixel.hpp>
#include <vector>

namespace osteon::kernel {

/// A look-up table of straight linear RGB and the opacity of one step, over [low, high] of the value;
/// values outside take the end's entry.
struct transfer_table {
  float low = 0, high = 1;
  std::vector<std::array<float, 4>> entries;  ///< at least two
};

/// One field and how it looks. NaN is empty: a sample whose neighbours are partly NaN interpolates between the others,
/// and its opacity is multiplied by the share of these.
struct march_layer {
  const float* values = nullptr;  ///< shape of the voxels that are present
  transfer_table transfer;
  bool shaded = false;
  float emission = 1;  ///< light given off, in units of the colour
};

/// Light for shaded layers; unit vectors in mm space.
struct lighting {
  vector3 toward_light, toward_eye;
};

/// How deep a ray has gone, in 4096ths of a halving of its light; adds up along the ray exactly, whatever the blocks.
using optical_depth = std::uint16_t;
/// Where rays end: less than 1/4096 of the light is left.
inline constexpr optical_depth opaque_depth = 12 << 12;
/// The depth of two parts of a ray together.
inline optical_depth deeper(optical_depth a, optical_depth b) {
  return static_cast<optical_depth>(std::min<std::uint32_t>(std::uint32_t{a} + b, 0xffff));
}

/// What a ray meets, whatever it looks like. Maxima and sums of integers are the same for all blocks.
struct projection {
  float greatest = -std::numeric_limits<float>::infinity();
  std::int64_t sum = 0;    ///< of the values, as multiples of the transfer function's range / 2^24
  std::int64_t count = 0;  ///< samples that have a value
};

/// The block's part of a volume, prepared for marching.
class march_volume {
 public:
  static constexpr int most_layers = 4;

  /// @param step_voxels of the finest spacing
  /// @param present voxels that the layers' values hold: the owned ones and ghosts_needed() on every side, where the
  ///        domain has them
  /// @param layers at most most_layers
  /// @cost one pass over the values, 1/32 byte a voxel
  march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_voxels, lighting light,
               std::vector<march_layer> layers);

  /// Move the light: nothing else of what is prepared depends on it.
  void light_by(const lighting& light);

  /// Add what the block shows of a ray.
  /// @param before depth of what lies before the block. A ray that would end in the block on account of it ends elsewhere
  ///        if it is not known: then march again (render/picture.cpp).
  /// @param samples counts those that were interpolated
  /// @return depth of the block's part; opaque_depth or more together with `before` if the ray ends
  optical_depth march(const ray& along, optical_depth before, wide_pixel& result, std::int64_t& samples) const;

  /// Add the values of the first layer that a ray meets in the block.
  void project(const ray& along, projection& result, std::int64_t& samples) const;

 private:
  typedef float float4 __attribute__((vector_size(16)));

  // A layer, and what follows from its table.
  struct layer {
    march_layer given;
    float scale;                      // entries per unit of value
    float visible_low, visible_high;  // nothing is seen of values at or outside of these
    // Red, green, blue and opacity of each entry, each followed by what the next entry has more: 32 bytes, half a cache
    // line.
    std::vector<std::array<float, 8>> rising;
  };
  // What eight samples show of a layer.
  struct look;

  // What is to be done in a macro cell: bit 2 i, layer i may be seen; bit 2 i + 1, its values differ, so light matters.
  template <bool Inside>
  float4 shade(const eight_samples& around, std::int64_t shared, int count, unsigned what) const;
  template <bool Inside>
  bool look_at(const layer& what, const eight_samples& around, const float* values, int count, bool lit, look& result) const;
  template <bool Inside>
  void illuminate(const layer& what, const eight_samples& around, const float* values, float8& brightness,
                  float8& gloss) const;
  void find_empty_space(const box3& owned, const box3& present, int margin);

  index3 domain_;
  ray_segments segments_;
  float inverse_spacing_[3], light_[3], half_way_[3];  // z, y, x; spacing relative to the finest
  std::vector<layer> layers_;
  index3 cells_, first_voxel_;          // number of macro cells, and where the first one begins
  integer4 first_, last_cell_;          // the same for the march: z, y, x, 0
  std::vector<std::uint8_t> distance_;  // of a macro cell from those that may be seen
  std::vector<std::uint8_t> to_do_;     // in a macro cell
};

}  // namespace osteon::kernel
