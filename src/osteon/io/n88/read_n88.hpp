#pragma once
/// @file
/// Models of FAIM and n88tools (.n88model): netCDF-4 with the conventions Numerics88/Finite_Element_Model-1.0. Supported are
/// hexahedra that are voxels of one size, isotropic materials, displacements and forces of the active problem. Lengths are
/// in mm, moduli in MPa, forces in N.
#include <mpi.h>

#include <map>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::io::n88 {

/// True if a file name has the extension of such a model.
bool is_model_name(const std::string& path);

/// Data of a file except its elements.
struct outline {
  std::string path;
  voxel::model_header header;                      ///< complete except for `active_per_plane`
  std::map<std::int64_t, material_number> number;  ///< material numbers by ID of the file
  std::string part;                                ///< of the active problem
  std::int64_t nodes = 0, elements = 0;
  std::vector<std::string> notes;  ///< omitted data, a line each
};

/// Read all data except the elements. The size and number of voxels follow from all nodes.
/// @throws data_error if the file is damaged, or not a voxel model: other elements or materials, boxes of different sizes,
/// constraints of another kind @collective local @cost reads 12 bytes per node; memory of a few MB and 80 bytes per
/// constrained node
outline read_outline(const std::string& path);

/// Complete model on one process.
struct whole_model {
  outline file;
  std::vector<material_number> material;  ///< shape file.header.shape
};
/// @throws data_error as read_outline, and for elements that are not voxels or coincide @collective local
whole_model read_whole_model(const std::string& path);

/// Planes of a model on a rank.
struct model_planes {
  grid::block where;
  outline file;
  std::vector<material_number> material;  ///< shape of where.owned
};

/// Read a model on many ranks. Rank 0 reads the outline; each rank reads a share of the elements and sends the voxels to the
/// owners of their planes, which have about equally many active voxels each.
/// @throws as read_whole_model; usage_error if there are more ranks than planes @collective on comm
/// @cost 8 bytes of memory per element of the share; if elements are not ordered by position, the nodes are read once per
/// 262,144 elements
model_planes read_model(MPI_Comm comm, const std::string& path);

}  // namespace osteon::io::n88
