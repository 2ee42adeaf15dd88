#pragma once
/// @file
/// Invariants of a model, in memory and on disk (internal to io).
#include <cstdint>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/model.hpp>
#include <span>
#include <string>

namespace osteon::io {

inline constexpr std::size_t largest_name = 256;                    ///< limit of a material name in bytes
inline constexpr std::size_t largest_text = std::size_t{16} << 20;  ///< limit of the provenance in bytes
inline constexpr std::size_t most_conditions = 40'000'000;          ///< limit of conditions on single nodes

/// Check the limits of the file format. @throws data_error
void check_header(const voxel::model_header& header);

/// Check that voxels refer to materials of the table, and that the number of active voxels of each plane equals the number
/// in the header.
/// @param material materials of complete planes, beginning with first_plane @throws data_error
void check_voxels(const std::string& path, const voxel::model_header& header, std::int64_t first_plane,
                  std::span<const material_number> material);

}  // namespace osteon::io
