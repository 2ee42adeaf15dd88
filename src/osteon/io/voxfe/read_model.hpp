#pragma once
/// @file
/// Parallel reading of the model of a VOX-FE script.
#include <mpi.h>

#include <osteon/grid/block.hpp>
#include <osteon/io/voxfe/script.hpp>

namespace osteon::io::voxfe {

/// Planes of a model on a rank.
struct model_planes {
  grid::block where;
  voxel::model_header header;
  std::vector<material_number> material;  ///< shape of where.owned
  int index_base = 1;                     ///< index base of the file
};

/// Read the model of a script.
///
/// With parallel access, each rank reads a byte range of the file. The ranks agree on the layout, distribute the planes with
/// approximately equal numbers of active voxels, and send the voxels to their owners. No rank stores the complete model.
/// With serial access, rank 0 reads and scatters the model.
/// @param s script, equal on all ranks
/// @throws data_error with file and line; usage_error if there are more ranks than planes
/// @collective on comm @cost parallel access: 16 bytes of memory per element of the range, then 8 bytes per sent or received
/// element
model_planes read_model(MPI_Comm comm, const script& s, const reading_options& options, text_access access);

}  // namespace osteon::io::voxfe
