#pragma once
/// @file
/// Checkpoint files: vectors over the points of all ranks, bitwise exact and independent of the number of ranks
/// (docs/reference/format.md).
#include <osteon/grid/plane_points.hpp>
#include <osteon/io/files/checkpoint_index.hpp>

namespace osteon::io {

/// Write a checkpoint file. The new file replaces an older file only after it is complete and synced.
/// @param facts data of the caller, equal on all ranks @return size of the file in bytes
/// @throws machine_error (no space, no permission), usage_error (more than most_components values per point) on all ranks
/// @collective on points.comm()
std::int64_t write_checkpoint(const std::string& path, const grid::plane_points& points,
                              std::span<const grid::point_vector> vectors, const nlohmann::ordered_json& facts);

/// Compare all values of a file with their digests; each rank reads some planes.
/// @throws data_error on all ranks @collective on comm
void verify_checkpoint(MPI_Comm comm, const std::string& path, const checkpoint_index& index);

/// Read vectors from a file.
/// @throws data_error on all ranks if the file is damaged, a vector is missing, or its points differ
/// @collective on points.comm()
void read_checkpoint(const std::string& path, const checkpoint_index& index, const grid::plane_points& points,
                     std::span<const grid::point_vector> vectors);

/// Compare all values of a file with their digests. @throws data_error @collective local
void verify_checkpoint(const std::string& path, const checkpoint_index& index);

}  // namespace osteon::io
