#pragma once
/// @file
/// Benchmarks: all-to-all exchanges compared with those of MPI; input and output as text (PARA-BMU), in the formats of
/// osteon and as plain bytes; sampling rate of the renderer compared with the limit of the machine.
#include <mpi.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/voxel/image.hpp>
#include <string>
#include <vector>

namespace osteon::bench {

struct exchange_case {
  std::int64_t bytes = 65536;  ///< size of the mean parcel
  double skew = 1;             ///< the largest parcel of each round over the mean one, 1 to the number of ranks
};

struct exchange_time {
  std::string way;              ///< schedule of comm::all_to_all, or MPI_Alltoallv
  double best = 0, median = 0;  ///< s of one exchange, on the slowest rank
  double bytes_per_second = 0;  ///< total rate between different ranks, from the median
};

/// Run MPI_Alltoallv and the schedules in turn.
/// @param seconds duration of the measurement, for all schedules together
/// @throws usage_error for an unknown schedule or an impossible skew; data_error if received data differ from the data sent
/// @collective on comm
std::vector<exchange_time> measure_exchange(MPI_Comm comm, const exchange_case& what,
                                            const std::vector<std::string>& schedules, double seconds);

struct io_options {
  std::string image;   ///< npy file of bytes (materials, 0 is empty space); empty: a generated image
  int edge = 128;      ///< voxels along an edge of the generated image
  std::string folder;  ///< folder of the files during the run; its file system is measured
  int repetitions = 3;
  std::vector<std::string> only;  ///< substrings of "operation, way" that select methods; empty: all
};

/// Porous cube with gyroid walls, about 40 % solid, with noisy grey values as in a scan. Shape (edge, edge, edge).
voxel::image gyroid(int edge);

/// Read a model and write a displacement at every node by all methods in turn, repeatedly. Rows {operation, way, cpu_seconds
/// (minimum of the sums over ranks, without waiting for a turn), wall_seconds (minimum of the maxima over ranks), bytes (of
/// the file)}; and shape, elements, nodes, raw_bytes, file_system.
/// @throws data_error, usage_error (also if the options match no method), machine_error on all ranks @collective on comm
nlohmann::ordered_json measure_io(MPI_Comm comm, const io_options& options);

struct render_options {
  int edge = 256;    ///< voxels along the cube
  int pixels = 512;  ///< of the square picture
  double step_voxels = 1;
  int frames = 3;        ///< number of frames; the fastest is reported
  std::string pictures;  ///< folder for the pictures as npy, float RGBA, and for the volume; empty: none
};

/// Rows {name, samples, milliseconds_per_frame, cpu_milliseconds_per_frame, cpu_milliseconds_of_preparation (once for all
/// frames of a scene), Msamples_per_s} of a smooth wavy field that fills the cube: translucent, translucent and lit, opaque,
/// and opaque and lit; rates are per CPU second of this process. `limit_Msamples_per_s` is the rate of interpolation alone
/// on voxels in the L1 cache.
/// @throws usage_error on sizes out of range @collective on comm
nlohmann::ordered_json render(MPI_Comm comm, const render_options& options);

}  // namespace osteon::bench
