#pragma once
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/base/material_number.hpp>
#include <random>
#include <vector>

/// Voxels that are solid (1) with probability `fill`.
inline std::vector<osteon::material_number> random_image(osteon::index3 shape, double fill, unsigned seed) {
  std::mt19937 generator(seed);
  std::bernoulli_distribution solid(fill);
  std::vector<osteon::material_number> image(static_cast<std::size_t>(shape.volume()));
  for (auto& voxel : image) voxel = solid(generator);
  return image;
}
