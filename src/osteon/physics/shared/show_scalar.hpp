#pragma once
/// @file
/// The field that the picture displays.
#include <mpi.h>

#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/field_statistics.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <string>

namespace osteon::physics {

/// Add a field to the picture. The colour range ends at 0 and at the 99th percentile of the field. If most values are equal,
/// the range ends at the maximum instead of the percentile.
/// @return statistics of the field @collective on comm
numerics::field_statistics show_scalar(physics_result& result, MPI_Comm comm, cell_values values, const std::string& name,
                                       const std::string& title, const std::string& units);

}  // namespace osteon::physics
