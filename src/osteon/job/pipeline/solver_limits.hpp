#pragma once
/// @file
/// Resource use of a solver: CPU seconds, share of memory bandwidth and of peak performance.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/numerics/certificate.hpp>

namespace osteon::job {

/// Return `solver` of summary.json, which is equal on all ranks: CPU seconds and, with `with_limits`, the kernels. If the
/// solver counts the work of its kernels and runs long enough, or if `always` is true, the limits are also measured. The
/// measurement takes some hundredths of a second: all ranks simultaneously execute a triad, and multiplications in
/// registers.
/// @collective on comm
nlohmann::ordered_json describe_solver(MPI_Comm comm, const numerics::solve_certificate& certificate, bool with_limits,
                                       bool always);

}  // namespace osteon::job
