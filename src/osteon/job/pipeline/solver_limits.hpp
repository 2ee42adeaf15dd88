#pragma once
/// @file
/// Resource use of a solver: CPU seconds, share of memory bandwidth and of peak performance.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/numerics/certificate.hpp>

namespace osteon::job {

/// Return `solver` of summary.json, the same on all ranks: CPU seconds and, with `with_limits`, the kernels. If the solver
/// counts the work of its kernels and its run time is sufficient, or if `always`, the limits are also measured, in some
/// hundredths of a second: a triad, and multiplications in registers, on all ranks simultaneously.
/// @collective on comm
nlohmann::ordered_json describe_solver(MPI_Comm comm, const numerics::solve_certificate& certificate, bool with_limits,
                                       bool always);

}  // namespace osteon::job
