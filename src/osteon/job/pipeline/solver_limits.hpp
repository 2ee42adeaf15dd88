#pragma once
/// @file
/// What a solver took of its machine: CPU seconds, and its shares of the memory's bandwidth and of the cores' peak.
#include <mpi.h>

#include <nlohmann/json_fwd.hpp>
#include <osteon/numerics/certificate.hpp>

namespace osteon::job {

/// `solver` of summary.json, the same on all ranks: its CPU seconds and, `with_limits`, its kernels. Where the solver counts
/// what its kernels do, and took long enough to be worth it or `always`, the limits are measured beside it, in some
/// hundredths of a second: a triad and multiplications in registers, all ranks at the same time.
/// @collective on comm
nlohmann::ordered_json describe_solver(MPI_Comm comm, const numerics::solve_certificate& certificate, bool with_limits,
                                       bool always);

}  // namespace osteon::job
