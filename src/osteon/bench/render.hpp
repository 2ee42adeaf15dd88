#pragma once
/// @file
/// How fast the renderer takes samples of a volume, beside how fast it could.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace osteon::bench {

struct render_options {
  int edge = 256;    ///< voxels along the cube
  int pixels = 512;  ///< of the square picture
  double step_voxels = 1;
  int frames = 3;        ///< the fastest counts
  std::string pictures;  ///< folder for the pictures as npy, float RGBA, and for the volume; empty: none
};

/// Rows {name, samples, milliseconds_per_frame, cpu_milliseconds_per_frame,
/// cpu_milliseconds_of_preparation (once for all frames of a scene), Msamples_per_s} of a smooth wavy field that
/// fills the cube: translucent, translucent and lit, opaque, and opaque and lit; rates are per CPU second of this process.
/// `limit_Msamples_per_s` is what interpolation alone takes of voxels that lie in the first cache.
/// @throws usage_error on sizes out of range @collective on comm
nlohmann::ordered_json render(MPI_Comm comm, const render_options& options);

}  // namespace osteon::bench
