#pragma once
/// @file
/// Invariants of a model, in memory and on disk (internal to io).
#include <cstdint>
#include <osteon/base/material_number.hpp>
#include <osteon/voxel/model.hpp>
#include <span>
#include <string>

namespace osteon::io {

inline constexpr std::size_t largest_name = 256;                    ///< of a material, in bytes
inline constexpr std::size_t largest_text = std::size_t{16} << 20;  ///< of the provenance, in bytes
inline constexpr std::size_t most_conditions = 40'000'000;          ///< of single nodes

/// @throws data_error if the header breaks a limit of the file format
void check_header(const voxel::model_header& header);

/// Check that voxels refer to materials of the table and that their number in each plane equals that of the header.
/// @param material complete planes, beginning with first_plane @throws data_error
void check_voxels(const std::string& path, const voxel::model_header& header, std::int64_t first_plane,
                  std::span<const material_number> material);

}  // namespace osteon::io
