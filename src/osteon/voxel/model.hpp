#pragma once
/// @file
/// A model: what an image becomes when every voxel has a material. It is what import writes and what ranks read.
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/voxel/material.hpp>
#include <osteon/voxel/node_condition.hpp>
#include <string>
#include <vector>

namespace osteon::voxel {

/// What every rank knows of a model; the voxels themselves are read slab by slab.
struct model_header {
  index3 shape;                                ///< voxels (z, y, x)
  vector3 spacing_mm;                          ///< edge lengths of a voxel, > 0
  vector3 origin_mm;                           ///< position of the low corner of the image
  material_table materials;                    ///< by voxel value; [0] is empty space
  std::vector<std::int64_t> active_per_plane;  ///< active voxels of each z plane, shape (z); balances the ranks
  std::string source;                          ///< the image it was made from
  std::string source_sha256;                   ///< digest of that image file
  std::string provenance_json;                 ///< threshold, dropped islands, the job's [image] and [segment] tables
  std::vector<node_condition> conditions;      ///< holds and forces that belong to the model itself (VOX-FE)
};

}  // namespace osteon::voxel
