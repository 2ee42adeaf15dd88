#pragma once
/// @file
/// An elasticity job as an input file of CalculiX and Abaqus.
#include <cstdint>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <string>

namespace osteon::job {

/// What was written.
struct inp_report {
  std::int64_t nodes = 0, elements = 0, steps = 0;
  std::int64_t bytes = 0;
};

/// Write the mesh (C3D8, which is osteon's element), the materials, the sets, and a step for each load case: the
/// displacements and forces of all nodes as the solver has them. Lengths in mm, forces in N, moduli in MPa.
/// @param part the model on one rank
/// @throws usage_error if the job has no such loads (homogenise, other physics), data_error as a run of the job,
/// machine_error
/// @cost memory of the model and its nodes, without a solver; the file is streamed @collective on part.where.comm, one rank
inp_report write_inp(const spec& job, local_model part, const std::string& path, log_sink& log);

}  // namespace osteon::job
