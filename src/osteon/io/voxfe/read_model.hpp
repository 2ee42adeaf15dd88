#pragma once
/// @file
/// The model of a VOX-FE script on many ranks.
#include <mpi.h>

#include <osteon/grid/block.hpp>
#include <osteon/io/voxfe/script.hpp>

namespace osteon::io::voxfe {

/// A rank's planes of a model.
struct model_planes {
  grid::block where;
  voxel::model_header header;
  std::vector<material_number> material;  ///< shape of where.owned
  int index_base = 1;                     ///< of the file
};

/// Read a script's model.
///
/// In parallel each rank reads a byte range of the file, cut at line ends; the ranks agree on the layout, deal out the
/// planes with about equally many active voxels each, and send the voxels to their owners. No rank holds the model. Serially
/// rank 0 reads everything and scatters.
/// @param s the same on all ranks
/// @throws data_error with file and line; usage_error if there are more ranks than planes
/// @collective on comm @cost parallel: 16 bytes of memory an element of the range, then 8 to send and receive it
model_planes read_model(MPI_Comm comm, const script& s, const reading_options& options, text_access access);

}  // namespace osteon::io::voxfe
