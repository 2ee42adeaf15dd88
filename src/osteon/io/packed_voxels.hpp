#pragma once
/// @file
/// Voxels packed with their materials in one integer, for messages from reading ranks to owners.
#include <cstdint>
#include <optional>
#include <osteon/base/material_number.hpp>
#include <osteon/grid/block.hpp>
#include <span>
#include <vector>

namespace osteon::io {

/// A packed voxel is (linear index in the image in the order z, y, x) * packed_materials + material.
inline constexpr std::int64_t packed_materials = most_materials + 1;
constexpr std::int64_t pack_voxel(std::int64_t place, material_number material) {
  return place * packed_materials + material;
}

/// Send packed voxels to the owners of their planes.
/// @return voxels of this rank in any order @throws data_error if a rank receives 2^31 voxels or more
/// @collective on where.comm
std::vector<std::int64_t> send_to_owners(const grid::block& where, const std::vector<std::int64_t>& voxels);

/// Unpacked materials of a box of complete planes; 0 in empty voxels.
struct unpacked_planes {
  std::vector<material_number> material;  ///< array of the shape of the box
  std::optional<std::int64_t> twice;      ///< lowest position with more than one voxel
};
unpacked_planes unpack_voxels(const box3& planes, std::span<const std::int64_t> voxels);

}  // namespace osteon::io
