#pragma once
/// @file
/// Benchmarks of all-to-all exchanges, of input and output, and of the sampling rate of the renderer. The benchmark compares
/// the exchanges with functions of MPI. The benchmark of input and output compares text as in PARA-BMU, the formats of
/// osteon, and raw bytes. The benchmark compares the sampling rate with the limit of the machine.
#include <mpi.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <osteon/voxel/image.hpp>
#include <string>
#include <vector>

namespace osteon::bench {

struct exchange_case {
  std::int64_t bytes = 65536;  ///< mean size of a parcel
  /// size of the largest parcel of each round divided by the mean size; from 1 to the number of ranks
  double skew = 1;
};

struct exchange_time {
  std::string method;           ///< schedule of comm::all_to_all, or MPI_Alltoallv
  double best = 0, median = 0;  ///< duration of one exchange on the slowest rank [s]
  double bytes_per_second = 0;  ///< total data rate between different ranks; this rate corresponds to the median duration
};

/// Measure MPI_Alltoallv and the schedules alternately.
/// @param seconds duration of the whole measurement of all schedules
/// @throws usage_error for an unknown schedule or an impossible skew; data_error if received data differ from sent data
/// @collective on comm
std::vector<exchange_time> measure_exchange(MPI_Comm comm, const exchange_case& parameters,
                                            const std::vector<std::string>& schedules, double seconds);

struct io_options {
  std::string image;   ///< npy file of bytes (material numbers; 0 is empty space); empty: the image is generated
  int edge = 128;      ///< number of voxels along an edge of the generated image
  std::string folder;  ///< folder of the temporary files, on the measured file system
  int repetitions = 3;
  std::vector<std::string> only;  ///< parts of "operation, way" that select methods; empty: all methods
};

/// Porous cube with gyroid walls. The grey values are noisy like those of a scan. About 40 % of the voxels are solid. The
/// shape is (edge, edge, edge).
voxel::image gyroid(int edge);

/// Read a model and write a displacement at every node. All methods do so repeatedly. The result has the members rows,
/// shape, elements, nodes, raw_bytes and file_system. A row has the members operation, way, cpu_seconds, wall_seconds and
/// bytes. cpu_seconds is the sum over ranks, without the waiting time of ranks that write one after another. wall_seconds is
/// the maximum over ranks. The values are minima over repetitions. bytes is the size of the file.
/// @throws data_error, usage_error (also if the options match no method), machine_error on all ranks @collective on comm
nlohmann::ordered_json measure_io(MPI_Comm comm, const io_options& options);

struct render_options {
  int edge = 256;    ///< number of voxels along an edge of the cube
  int pixels = 512;  ///< width and height of the picture in pixels
  double step_voxels = 1;
  int frames = 3;        ///< number of frames; the result is the time of the fastest frame
  std::string pictures;  ///< folder for the pictures (npy, float RGBA) and for the volume; empty: no files are written
};

/// Render a smooth wavy field in a cube as four scenes. The scenes are translucent or opaque, each with and without
/// lighting. The result has rows with the members name, samples, milliseconds_per_frame, cpu_milliseconds_per_frame,
/// cpu_milliseconds_of_preparation and Msamples_per_s. The preparation is executed once for all frames of a scene. Rates are
/// numbers of samples per CPU second of this process. `limit_Msamples_per_s` is the rate of pure interpolation in voxels in
/// the L1 cache.
/// @throws usage_error on sizes out of range @collective on comm
nlohmann::ordered_json render(MPI_Comm comm, const render_options& options);

}  // namespace osteon::bench
