#pragma once
/// @file
/// An elasticity job as a model of ParOSol.
#include <cstdint>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// What was written.
struct parosol_report {
  std::int64_t elements = 0, fixed = 0, loaded = 0;  ///< voxels; displacements and forces along an axis
  std::int64_t bytes = 0;
};

/// Write moduli [GPa], the voxel size [mm] and, of the one load case, displacements [mm] and forces [N] as the solver has
/// them.
/// @param part the model on one rank
/// @throws usage_error if ParOSol's files cannot hold the job: several load cases or Poisson's ratios, voxels that are no
/// cubes, more than 65,534 along an axis; as write_inp() else
/// @cost memory of the model and its nodes, without a solver; the file is streamed @collective on part.where.comm, one rank
parosol_report write_parosol_model(const spec& job, local_model part, const std::string& path, log_sink& log);

}  // namespace osteon::physics
