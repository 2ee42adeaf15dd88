#pragma once
/// @file
/// Volume ray marching through the voxels of one block, made so that the samples of a ray do not depend on how the
/// domain is dealt out to blocks.
///
/// Lengths along a ray are in mm, positions in voxels: the voxel (z, y, x) fills [z, z+1) x [y, y+1) x [x, x+1) and
/// its value sits in the middle. Sample k of a ray lies at entry + (k + 1/2) step, where `entry` is where the ray
/// enters the *domain*; it belongs to the block that owns its voxel.
#include <array>
#include <osteon/base/box.hpp>
#include <osteon/kernel/wide_pixel.hpp>
#include <vector>

namespace osteon::kernel {

struct ray {
  vector3 origin;              ///< voxels
  vector3 direction;           ///< voxels per mm
  double entry = 0, exit = 0;  ///< part inside the domain [mm]; empty if exit <= entry
};

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

/// The block's part of a volume, prepared for marching.
class march_volume {
 public:
  /// @param present voxels that the layers' values hold: the owned ones and two on every side, where the domain has
  ///        them
  /// @cost one pass over the values, 1/64 byte a voxel
  march_volume(index3 domain, vector3 spacing_mm, const box3& owned, const box3& present, double step_mm, lighting light,
               std::vector<march_layer> layers);

  /// What the block adds to a ray. No ray is cut short by what the block itself hides unless less than 2^-100 of the
  /// light is left, for that would depend on the blocks.
  void march(const ray& along, wide_pixel& result) const;

 private:
  struct neighbourhood;
  struct batch;

  double position(const ray& along, std::int64_t k, int axis) const;
  std::array<std::int64_t, 2> owned_samples(const ray& along) const;
  std::int64_t after_empty_cell(const ray& along, std::int64_t k, const index3& cell) const;
  bool is_empty(const index3& cell) const;
  void illuminate(const march_layer& layer, const neighbourhood& around, float& brightness, float& gloss) const;
  neighbourhood cells_around(const double (&at)[3]) const;
  void shade(batch& samples) const;
  void find_empty_cells();

  index3 domain_;
  box3 owned_, present_;
  double step_;
  float inverse_spacing_[3], light_[3], half_way_[3];  // z, y, x; spacing relative to the finest
  std::vector<march_layer> layers_;
  index3 cells_, first_voxel_;          // number of macro cells, and where the first one begins
  std::vector<std::uint8_t> occupied_;  // of a macro cell: some value between its corners may be seen
};

}  // namespace osteon::kernel
