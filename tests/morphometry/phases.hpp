#pragma once
/// @file
/// Images of two phases for the tests, complete and as parts of ranks.
#include <cstdint>
#include <functional>
#include <osteon/comm/communicator.hpp>
#include <osteon/grid/block.hpp>
#include <random>
#include <vector>

#include "grid/sample_bricks.hpp"

namespace osteon::sample {

inline std::size_t place(index3 domain, std::int64_t z, std::int64_t y, std::int64_t x) {
  return static_cast<std::size_t>((z * domain.y + y) * domain.x + x);
}

/// A voxel belongs to the phase at its centre.
inline std::vector<float> phase(index3 domain, const std::function<bool(double z, double y, double x)>& is_solid) {
  std::vector<float> all(static_cast<std::size_t>(domain.volume()));
  for (std::int64_t z = 0; z < domain.z; ++z)
    for (std::int64_t y = 0; y < domain.y; ++y)
      for (std::int64_t x = 0; x < domain.x; ++x)
        all[place(domain, z, y, x)] =
            is_solid(static_cast<double>(z) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(x) + 0.5) ? 1 : 0;
  return all;
}

inline std::vector<float> by_chance(index3 domain, double share, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> all(static_cast<std::size_t>(domain.volume()));
  for (float& v : all) v = static_cast<double>(random()) < share * 4294967296.0 ? 1 : 0;
  return all;
}

/// The part of one rank.
inline std::vector<float> part_of(const grid::block& where, const std::vector<float>& all) {
  std::vector<float> part;
  for (std::int64_t z = where.owned.begin.z; z < where.owned.end.z; ++z)
    for (std::int64_t y = where.owned.begin.y; y < where.owned.end.y; ++y)
      for (std::int64_t x = where.owned.begin.x; x < where.owned.end.x; ++x)
        part.push_back(all[place(where.domain, z, y, x)]);
  return part;
}

/// Planes of all ranks, and bricks.
inline std::vector<grid::block> decompositions(index3 domain) {
  return {grid::make_block(MPI_COMM_WORLD, domain, std::vector<std::int64_t>(static_cast<std::size_t>(domain.z), 1)),
          grid::make_block(MPI_COMM_WORLD, bricks(domain, {}))};
}

}  // namespace osteon::sample
