#pragma once
/// @file
/// Scatter of a model from rank 0, and gather of fields on rank 0.
#include <mpi.h>

#include <functional>
#include <osteon/grid/block.hpp>
#include <osteon/io/chunked/plane_source.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/voxel/model.hpp>
#include <span>
#include <vector>

namespace osteon::io {

/// Model distributed by planes, with the planes of this rank.
struct model_of_rank {
  voxel::model_header header;
  grid::block where;
};

/// Broadcast the header of rank 0 and distribute its planes.
/// @param header used on rank 0 only
/// @throws usage_error if there are more ranks than planes, data_error if the header exceeds 2 GiB @collective on comm
model_of_rank scatter_header(MPI_Comm comm, const voxel::model_header& header);

/// Distribute the planes of rank 0. In addition to the data stored by `take`, each rank stores at most one plane.
/// @param make computes materials of the complete model; called on rank 0
/// @param take receives the planes of where.owned in order
/// @throws exceptions of `make` and `take`, on all ranks @collective on where.comm
/// @cost rank 0 sends all planes, one message each
void scatter_planes(const grid::block& where, const plane_source<material_number>& make,
                    const std::function<void(std::span<const material_number> plane)>& take);

/// Gather a field on rank 0.
/// @param make values of this rank, of shape where.owned; for node fields, of shape where.owned + 1 on each axis. For shared
/// nodes, NaN values are ignored, and the value of the highest remaining rank is used. The result is NaN if all values are
/// NaN
/// @param values output on rank 0, of shape (where.domain, components), for node fields of shape (where.domain + 1 on each
/// axis, components); empty on other ranks
/// @throws exceptions of `make`, on all ranks @collective on where.comm
/// @cost one message per plane of each rank, sent one after another; each rank stores its part of the field
void gather_field(const grid::block& where, centring on, int components, const plane_source<float>& make,
                  std::span<float> values);

/// Gather material numbers on rank 0.
void gather_materials(const grid::block& where, const plane_source<material_number>& make,
                      std::span<material_number> values);

}  // namespace osteon::io
