#pragma once
/// @file
/// Model files, valid as netCDF-4 and as VTKHDF ImageData (docs/reference/format.md).
#include <mpi.h>

#include <osteon/base/log_sink.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/io/access.hpp>
#include <osteon/io/chunked/plane_source.hpp>
#include <osteon/io/file_report.hpp>
#include <osteon/io/storage.hpp>
#include <osteon/voxel/model.hpp>
#include <string>
#include <vector>

namespace osteon::io {

/// Write the header and all voxels of a model from one process, compressed. The file has a temporary name until the file is
/// complete and synced. An older file remains unchanged until the new file is renamed.
/// @param make computes the voxels in order, a chunk of planes per call; 0 is empty space
/// @throws data_error if header and voxels are inconsistent; machine_error if the file cannot be written (no space, no
///        permission); usage_error as check_storage()
/// @collective local
file_report write_model(const std::string& path, const voxel::model_header& header,
                        const plane_source<material_number>& make, const storage& stored = {});

/// Write a model with voxels in memory. @param material array of shape header.shape
file_report write_model(const std::string& path, const voxel::model_header& header, view3<const material_number> material,
                        const storage& stored = {});

/// Read and check the header of a model, without MPI.
/// @param log receives a warning if the file was written by another program @throws as below @collective local
voxel::model_header read_model_header(const std::string& path, log_sink& log = null_log());

/// Read and check the header of a model. The file team checks the bytes of the file; rank 0 reads and broadcasts the header.
/// @throws data_error if the file is not a complete model of osteon or exceeds a limit
/// @collective on comm
voxel::model_header read_model_header(MPI_Comm comm, const std::string& path, const access& options = {},
                                      log_sink& log = null_log());

/// Read the voxels of some planes, in an array of shape (planes, y, x), and check their digests. Each rank stores only its
/// planes. A rank that reads for other ranks also stores a piece of at most 64 MiB (or one chunk).
/// @param planes complete planes of this rank, ascending with the ranks; may be empty
/// @throws data_error on a truncated or damaged file
/// @collective on comm
std::vector<material_number> read_model_planes(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                                               const box3& planes, const access& options = {});

/// Read the voxels of a block of complete planes.
std::vector<material_number> read_model_planes(const std::string& path, const voxel::model_header& header,
                                               const grid::block& where, const access& options = {});

/// Planes read by each rank before the distribution of bricks. @collective local
grid::box_tree planes_to_read(const voxel::model_header& header, int ranks);

/// Voxels of the brick of a rank, shape of where.owned.
struct model_brick {
  grid::block where;
  std::vector<material_number> material;
};

/// Read a model in parallel by planes, and redistribute it as bricks with approximately equal numbers of active voxels. Each
/// rank stores at most its planes and its brick.
/// @throws as above; usage_error if there are more ranks than voxels
/// @collective on comm
model_brick read_model_brick(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                             const access& options = {});

/// Read the voxels of the block of a rank (complete planes or a brick), shape of where.owned.
/// @param header header of the model, of shape where.domain
/// @throws as above @collective on where.comm
std::vector<material_number> read_model_block(const std::string& path, const voxel::model_header& header,
                                              const grid::block& where, const access& options = {});

}  // namespace osteon::io
