#pragma once
/// @file
/// Reading and writing, as PARA-BMU did it in text, as osteon does it, and as plain bytes.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <osteon/voxel/image.hpp>
#include <string>
#include <vector>

namespace osteon::bench {

struct io_options {
  std::string image;   ///< npy of bytes, the materials, 0 is empty; empty: a made one
  int edge = 128;      ///< voxels along the made one
  std::string folder;  ///< where the files lie while it runs: this file system is measured
  int repetitions = 3;
  std::vector<std::string> only;  ///< of "operation, way": the ways that have one of these somewhere; empty: all
};

/// A porous cube with walls of a gyroid, some 40 % solid, their greys noisy as those of a scan. Shape (edge, edge, edge).
voxel::image gyroid(int edge);

/// Read a model and write a displacement at every node in all ways, in turn, again and again. Rows {operation, way,
/// cpu_seconds (the least, summed over the ranks, without waiting for one's turn), wall_seconds (the least of the slowest
/// rank's), bytes (of the file)}; and shape, elements, nodes, raw_bytes, file_system.
/// @throws data_error, usage_error (no way has these words, too), machine_error on all ranks @collective on comm
nlohmann::ordered_json measure_io(MPI_Comm comm, const io_options& options);

}  // namespace osteon::bench
