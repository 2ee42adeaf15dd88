#pragma once
/// @file
/// Models on disk: netCDF-4 that is also VTKHDF ImageData (docs/reference/format.md).
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

/// Write a model from one process: header and all voxels, compressed. The file appears under its final name only when
/// it is complete and synced to disk; an older file of that name stays untouched until then.
/// @param make makes the voxels, in order, as many planes at a time as a chunk has; 0 is empty space
/// @throws data_error if header and voxels do not fit each other; machine_error if the file cannot be written (no space, no
///         permission); usage_error as check_storage()
/// @collective local
file_report write_model(const std::string& path, const voxel::model_header& header,
                        const plane_source<material_number>& make, const storage& stored = {});

/// The same for voxels in memory. @param material shape header.shape
file_report write_model(const std::string& path, const voxel::model_header& header, view3<const material_number> material,
                        const storage& stored = {});

/// Read and check a model's header, without MPI.
/// @param log is warned if the file is a copy that another program made @throws as below @collective local
voxel::model_header read_model_header(const std::string& path, log_sink& log = null_log());

/// Read and check a model's header: those that touch the file check its bytes, rank 0 reads, all receive.
/// @throws data_error if the file is no complete model of osteon or breaks a limit
/// @collective on comm
voxel::model_header read_model_header(MPI_Comm comm, const std::string& path, const access& how = {},
                                      log_sink& log = null_log());

/// Read the voxels of some planes, shape (planes, y, x), and check their digests. No rank ever holds more than its planes
/// and, if it reads for others, a piece of at most 64 MiB (or one chunk).
/// @param planes of this rank: whole ones; may be none; they ascend with the ranks
/// @throws data_error on a truncated or damaged file
/// @collective on comm
std::vector<material_number> read_model_planes(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                                               const box3& planes, const access& how = {});

/// The same for a block of whole planes.
std::vector<material_number> read_model_planes(const std::string& path, const voxel::model_header& header,
                                               const grid::block& where, const access& how = {});

/// The planes that each rank reads before bricks are dealt out. @collective local
grid::box_tree planes_to_read(const voxel::model_header& header, int ranks);

/// The voxels of a rank's brick, shape of where.owned.
struct model_brick {
  grid::block where;
  std::vector<material_number> material;
};

/// Read a model in parallel, each rank some of its planes, and redistribute it as bricks with approximately equal numbers of
/// active voxels. No rank stores more than its planes and its brick.
/// @throws as above; usage_error if there are more ranks than voxels
/// @collective on comm
model_brick read_model_brick(MPI_Comm comm, const std::string& path, const voxel::model_header& header,
                             const access& how = {});

/// Read a rank's voxels of a model, whole planes or a brick, shape of where.owned.
/// @param header of that model, whose shape is where.domain
/// @throws as above @collective on where.comm
std::vector<material_number> read_model_block(const std::string& path, const voxel::model_header& header,
                                              const grid::block& where, const access& how = {});

}  // namespace osteon::io
