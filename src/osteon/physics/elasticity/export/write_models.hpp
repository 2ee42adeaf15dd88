#pragma once
/// @file
/// Export of an elasticity job as a model of ParOSol (.h5), or of FAIM and n88tools (.n88model).
#include <cstdint>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Statistics of the model for ParOSol.
struct parosol_report {
  std::int64_t elements = 0, fixed = 0, loaded = 0;  ///< numbers of voxels, displacement components and force components
  std::int64_t bytes = 0;
};

/// Write the moduli [GPa], the voxel size [mm], and the prescribed displacements [mm] and forces [N] of the single load
/// case.
/// @param part the model on one rank
/// @throws usage_error if the file format cannot represent the job: several load cases or Poisson's ratios, non-cubic
/// voxels, more than 65,534 voxels along an axis; otherwise as write_inp()
/// @cost memory of the model and its nodes, without a solver; the file is streamed @collective on part.where.comm, one rank
parosol_report write_parosol_model(const spec& job, local_model part, const std::string& path, log_sink& log);

/// Statistics of the n88 model.
struct n88_report {
  std::int64_t nodes = 0, elements = 0, problems = 0;
  std::int64_t bytes = 0;
};

/// Write nodes, elements, materials, the sets of the loads, and a problem for each load case with all prescribed
/// displacements and forces. The first problem is active.
/// @param part the model on one rank
/// @throws as write_inp() @cost memory of the model and its nodes, without a solver; nodes and elements are streamed
/// @collective on part.where.comm, one rank
n88_report write_n88_model(const spec& job, local_model part, const std::string& path, log_sink& log);

}  // namespace osteon::physics
