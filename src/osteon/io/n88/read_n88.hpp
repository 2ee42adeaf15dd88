#pragma once
/// @file
/// Reader of models of FAIM and n88tools (.n88model). The files are netCDF-4 files with the conventions
/// Numerics88/Finite_Element_Model-1.0. The reader supports hexahedral voxels of equal size, isotropic materials, and the
/// displacements and forces of the active problem. Lengths are in mm, moduli in MPa, forces in N.
#include <mpi.h>

#include <map>
#include <osteon/grid/block.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::io::n88 {

/// True if a file name has the extension .n88model.
bool is_model_name(const std::string& path);

/// Data of a file except its elements.
struct outline {
  std::string path;
  voxel::model_header header;                      ///< complete except for `active_per_plane`
  std::map<std::int64_t, material_number> number;  ///< material numbers by ID of the file
  std::string part;                                ///< part of the active problem
  std::int64_t nodes = 0, elements = 0;
  std::vector<std::string> notes;  ///< messages about omitted data
};

/// Read all data except the elements. The size and number of voxels are computed from all nodes.
/// @throws data_error if the file is damaged, or not a supported voxel model (elements, materials, sizes, constraints)
/// @collective local @cost reads 12 bytes per node; memory of a few MB and 80 bytes per constrained node
outline read_outline(const std::string& path);

/// Complete model on one process.
struct whole_model {
  outline file;
  std::vector<material_number> material;  ///< array of shape file.header.shape
};
/// Read a model on one process. @throws data_error as read_outline, and if elements are not voxels or coincide
/// @collective local
whole_model read_whole_model(const std::string& path);

/// Planes of a model on a rank.
struct model_planes {
  grid::block where;
  outline file;
  std::vector<material_number> material;  ///< shape of where.owned
};

/// Read a model in parallel. Rank 0 reads the outline. Each rank reads a part of the elements and sends the voxels to the
/// owners of their planes. Ranks own approximately equal numbers of active voxels.
/// @throws as read_whole_model; usage_error if there are more ranks than planes @collective on comm
/// @cost 8 bytes of memory per element that the rank reads; if elements are not ordered by position, the nodes are read once
/// per 262,144 elements
model_planes read_model(MPI_Comm comm, const std::string& path);

}  // namespace osteon::io::n88
