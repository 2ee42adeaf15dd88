#pragma once
/// @file
/// Resource use of a solver. The resources are CPU time, and the fractions of memory bandwidth and of peak performance.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/numerics/certificate.hpp>

namespace osteon::job {

/// Return the object `solver` of summary.json, which is equal on all ranks. It contains the CPU time in seconds. If
/// `with_limits` is true, the object also contains the kernels. The limits are measured if the solver counts the work of its
/// kernels and runs long enough, or if `always` is true. The measurement takes some hundredths of a second. All ranks
/// simultaneously execute a triad, and multiplications in registers.
/// @collective on comm
nlohmann::ordered_json describe_solver(MPI_Comm comm, const numerics::solve_certificate& certificate, bool with_limits,
                                       bool always);

}  // namespace osteon::job
