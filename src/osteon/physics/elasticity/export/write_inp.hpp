#pragma once
/// @file
/// Export of an elasticity job as an input file of CalculiX and Abaqus.
#include <cstdint>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>
#include <vector>

namespace osteon::physics {

/// Statistics of the written file.
struct inp_report {
  std::int64_t nodes = 0, elements = 0, steps = 0;
  std::int64_t bytes = 0;
};

/// Von Mises plasticity with linear hardening, and the load path.
struct inp_plasticity {
  struct law {
    double yield_MPa = 0;  ///< 0: elastic
    double hardening_MPa = 0;
  };
  std::vector<law> of_material;   ///< by number
  std::vector<double> turns{1.};  ///< multiples of the load at the ends of the steps
  std::int64_t increments = 0;    ///< increments per step; 0: automatic
};

/// Write the mesh (C3D8 elements, as in osteon), the materials, the sets, and a step for each load case.
/// A step contains the prescribed displacements and the forces of all nodes. Units are mm, N and MPa.
/// @param part the model on one rank @param plasticity yield law of a failure job; the steps end at the turning points of
/// the load path
/// @throws usage_error if the job has no mechanical loads (homogenise, other physics; failure without plasticity)
/// @throws data_error as in a run of the job, machine_error
/// @cost memory of the model and its nodes, without a solver; the file is streamed @collective on part.where.comm, one rank
inp_report write_inp(const spec& job, local_model part, const std::optional<inp_plasticity>& plasticity,
                     const std::string& path, log_sink& log);

}  // namespace osteon::physics
