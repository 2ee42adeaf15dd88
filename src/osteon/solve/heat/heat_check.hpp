#pragma once
/// @file
/// The conditions that a conduction problem has to satisfy before anything is computed.
#include <osteon/solve/heat/heat.hpp>

namespace osteon::solve {

/// @throws usage_error for a problem that does not fit together; @throws data_error for cells without a conductivity
/// @collective on problem.where.comm: all ranks throw the same
void check_conduction(const heat_problem& problem);

/// @throws usage_error @collective local, the same on all ranks
void check_tolerance(const options& how);

}  // namespace osteon::solve
