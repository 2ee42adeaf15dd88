#pragma once
/// @file
/// A model is an image with the material of every voxel. The import writes the model, and the ranks read it.
#include <cstdint>
#include <osteon/base/box.hpp>
#include <osteon/voxel/material.hpp>
#include <osteon/voxel/node_condition.hpp>
#include <string>
#include <vector>

namespace osteon::voxel {

/// Header of a model, stored on every rank. Voxels are read slab by slab.
struct model_header {
  index3 shape;                                ///< voxels (z, y, x)
  vector3 spacing_mm;                          ///< edge lengths of a voxel, > 0
  vector3 origin_mm;                           ///< position of the low corner of the image
  material_table materials;                    ///< by voxel value; [0] is empty space
  std::vector<std::int64_t> active_per_plane;  ///< number of active voxels of each z plane, shape (z); used for load balance
  std::string source;                          ///< source image of the model
  std::string source_sha256;                   ///< digest of the source image file
  std::string provenance_json;                 ///< threshold, removed parts, and the job's [image] and [segment] tables
  std::vector<node_condition> conditions;      ///< constraints and forces that are part of the model (VOX-FE)
};

}  // namespace osteon::voxel
