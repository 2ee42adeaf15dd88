#pragma once
/// @file
/// Benchmark of permeability. The benchmark measures CPU time, iterations and memory of complete solves. The benchmark also
/// measures the speed of the Stokes operator relative to the STREAM triad.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <osteon/physics/flow/solver/stokes/permeability.hpp>
#include <string>
#include <vector>

namespace osteon::bench {

struct flow_options {
  std::vector<std::string> images;  ///< npy files of bytes; the value 0 is fluid
  std::vector<axis> directions{axis::z};
  physics::flow_surroundings surroundings = physics::flow_surroundings::periodic;
  physics::flow_options solver{};
  int repetitions = 3;  ///< number of repetitions of each solve; the result is the repetition with the least CPU time
  bool fields = false;
};

/// The result has rows and triad_GB_per_s. A row has the following members:
/// - image, shape, fluid_voxels, iterations, residual, bounds of the permeability
/// - cpu_seconds: CPU time of the whole solve, summed over all ranks; setup_seconds
/// - ns_per_voxel_and_iteration: CPU time without set-up
/// - bytes_per_voxel: increase of the peak resident memory of this rank
/// - permeability_voxel2: permeability in each direction
/// - product_ns_per_voxel, product_share_of_triad: speed of the Stokes operator
/// @throws data_error, usage_error on all ranks @collective on comm
nlohmann::ordered_json measure_flow(MPI_Comm comm, const flow_options& options);

}  // namespace osteon::bench
