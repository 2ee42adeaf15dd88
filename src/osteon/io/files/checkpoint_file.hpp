#pragma once
/// @file
/// Vectors over the points of all ranks on disk, bit for bit and independent of the ranks (docs/reference/format.md).
#include <osteon/grid/plane_points.hpp>
#include <osteon/io/files/checkpoint_index.hpp>

namespace osteon::io {

/// Write a file. It appears under its name only when it is whole and synced; an older one stays until then.
/// @param facts the same on all ranks @return its size in bytes
/// @throws machine_error (no space, no permission), usage_error (more than most_components values a point) on all ranks
/// @collective on points.comm()
std::int64_t write_checkpoint(const std::string& path, const grid::plane_points& points,
                              std::span<const grid::point_vector> vectors, const nlohmann::ordered_json& facts);

/// Compare all values of a file with their digests, each rank some planes.
/// @throws data_error on all ranks @collective on comm
void verify_checkpoint(MPI_Comm comm, const std::string& path, const checkpoint_index& index);

/// Fill in vectors that a file has.
/// @throws data_error on all ranks if it is damaged, lacks a vector, or has other points @collective on points.comm()
void read_checkpoint(const std::string& path, const checkpoint_index& index, const grid::plane_points& points,
                     std::span<const grid::point_vector> vectors);

/// Compare all values of a file with their digests. @throws data_error @collective local
void verify_checkpoint(const std::string& path, const checkpoint_index& index);

}  // namespace osteon::io
