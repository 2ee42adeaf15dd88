#pragma once
#include <cstdint>
#include <osteon/base/box.hpp>
#include <random>
#include <vector>

/// Voxels that are solid (1) with probability `fill`.
inline std::vector<std::uint8_t> random_image(osteon::index3 shape, double fill, unsigned seed) {
  std::mt19937 generator(seed);
  std::bernoulli_distribution solid(fill);
  std::vector<std::uint8_t> image(static_cast<std::size_t>(shape.volume()));
  for (auto& voxel : image) voxel = solid(generator);
  return image;
}
