#pragma once
/// @file
/// Benchmarks of all-to-all exchanges, of input and output, and of the sampling rate of the renderer. Exchanges are compared
/// with MPI. Input and output use text as in PARA-BMU, the formats of osteon, and raw bytes. The sampling rate is compared
/// with the limit of the machine.
#include <mpi.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/voxel/image.hpp>
#include <string>
#include <vector>

namespace osteon::bench {

struct exchange_case {
  std::int64_t bytes = 65536;  ///< size of the mean parcel
  double skew = 1;             ///< largest parcel of each round divided by the mean parcel, 1 to the number of ranks
};

struct exchange_time {
  std::string method;           ///< schedule of comm::all_to_all, or MPI_Alltoallv
  double best = 0, median = 0;  ///< duration of one exchange on the slowest rank [s]
  double bytes_per_second = 0;  ///< total data rate between different ranks, computed from the median duration
};

/// Run MPI_Alltoallv and the schedules alternately.
/// @param seconds duration of the measurement, for all schedules together
/// @throws usage_error for an unknown schedule or an impossible skew; data_error if received data differ from the data sent
/// @collective on comm
std::vector<exchange_time> measure_exchange(MPI_Comm comm, const exchange_case& parameters,
                                            const std::vector<std::string>& schedules, double seconds);

struct io_options {
  std::string image;   ///< npy file of bytes (materials, 0 is empty space); empty: a generated image
  int edge = 128;      ///< voxels along an edge of the generated image
  std::string folder;  ///< folder of the files during the run, on the file system to measure
  int repetitions = 3;
  std::vector<std::string> only;  ///< substrings of "operation, way" that select methods; empty: all
};

/// Porous cube with gyroid walls and noisy grey values as in a scan. About 40 % of the voxels are solid. Shape (edge, edge,
/// edge).
voxel::image gyroid(int edge);

/// Read a model and write a displacement at every node, repeatedly by all methods. The result contains rows, shape,
/// elements, nodes, raw_bytes and file_system. A row is {operation, way, cpu_seconds (minimum of the sums over ranks,
/// without the waiting time of ranks that write one after another), wall_seconds (minimum of the maxima over ranks), bytes
/// (of the file)}.
/// @throws data_error, usage_error (also if the options match no method), machine_error on all ranks @collective on comm
nlohmann::ordered_json measure_io(MPI_Comm comm, const io_options& options);

struct render_options {
  int edge = 256;    ///< voxels along an edge of the cube
  int pixels = 512;  ///< width and height of the picture
  double step_voxels = 1;
  int frames = 3;        ///< number of frames; the result contains the fastest frame
  std::string pictures;  ///< folder for the pictures (npy, float RGBA) and for the volume; empty: write no files
};

/// Render a smooth wavy field that fills the cube, as four scenes: translucent, translucent and lit, opaque, and opaque and
/// lit. The result has rows {name, samples, milliseconds_per_frame, cpu_milliseconds_per_frame,
/// cpu_milliseconds_of_preparation (once for all frames of a scene), Msamples_per_s}. Rates are per CPU second of this
/// process. `limit_Msamples_per_s` is the rate of interpolation alone on voxels in the L1 cache.
/// @throws usage_error on sizes out of range @collective on comm
nlohmann::ordered_json render(MPI_Comm comm, const render_options& options);

}  // namespace osteon::bench
